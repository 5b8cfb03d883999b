// SPDX-License-Identifier: Apache-2.0
// Files packed by gzip, arrays in .npz archives, and ARFF. The archives are made here, byte by byte.
#include <math.h>
#include <wavewarp/points.h>
#ifdef WWI_HAVE_ZLIB
#include <zlib.h>
#endif

#include "check_main.h"
#include "unit/io/io_support.h"

typedef struct bytes {
    char data[1 << 16];
    size_t size;
} bytes;

static bytes file;

static void put(const void *data, size_t size) {
    ck_assert_uint_le(file.size + size, sizeof file.data);
    memcpy(file.data + file.size, data, size);
    file.size += size;
}

static void put_little(uint64_t value, size_t size) {
    for (size_t b = 0; b < size; b++)
        put(&(unsigned char){(unsigned char)(value >> 8 * b)}, 1);
}

static void setup(void) {
    io_setup();
    file.size = 0;
    unsetenv("WAVEWARP_UNPACK_LIMIT");
}

static void teardown(void) {
    unsetenv("WAVEWARP_UNPACK_LIMIT");
    io_teardown();
}

static void refused(const char *path, ww_status wanted, const char *word) {
    ww_series_set *set = NULL;
    ck_assert_msg(ww_series_set_read(path, NULL, &set) == wanted, "%s: %s", path, ww_last_error()->message);
    ck_assert_ptr_null(set);
    ck_assert_msg(strstr(ww_last_error()->message, word) || strstr(ww_last_error()->hint, word), "%s (%s)",
                  ww_last_error()->message, ww_last_error()->hint);
}

static const char *as_file(const char *name) {
    return io_file(name, file.data, file.size);
}

// ---- zip

#define NPY "\x93NUMPY\x01\x00\x46\x00{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }          \n"

typedef struct member {
    const char *name;
    double first; // of its four values
    int method;   // 0 stored, 8 deflated
    bool large;   // sizes in 64 bits
} member;

static size_t make_array(double first, char *data) {
    const size_t size = sizeof NPY - 1;
    memcpy(data, NPY, size);
    for (int i = 0; i < 4; i++) {
        const double value = first + i;
        memcpy(data + size + 8 * (size_t)i, &value, 8);
    }
    return size + 32;
}

static size_t pack(const char *data, size_t size, int window, char *packed, size_t room, uint32_t *checksum) {
#ifdef WWI_HAVE_ZLIB
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    ck_assert_int_eq(deflateInit2(&stream, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (unsigned char *)data;
    stream.avail_in = (uInt)size;
    stream.next_out = (unsigned char *)packed;
    stream.avail_out = (uInt)room;
    ck_assert_int_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
    const size_t used = room - stream.avail_out;
    deflateEnd(&stream);
    *checksum = (uint32_t)crc32(0, (const unsigned char *)data, (uInt)size);
    return used;
#else
    (void)data, (void)size, (void)window, (void)packed, (void)room;
    *checksum = 0;
    return 0;
#endif
}

// The places where damage does something: each member's size in the directory, the directory's place.
static size_t directory, end_record;

static void put_archive(const member *members, size_t count) {
    size_t places[8], sizes[8], packed_sizes[8];
    uint32_t checksums[8];
    for (size_t i = 0; i < count; i++) {
        char data[256], packed[512];
        const size_t name = strlen(members[i].name);
        sizes[i] = make_array(members[i].first, data);
        const size_t deflated = pack(data, sizes[i], -15, packed, sizeof packed, &checksums[i]);
        packed_sizes[i] = members[i].method ? deflated : sizes[i];
        places[i] = file.size;
        put("PK\x03\x04", 4);
        put_little(20, 2);
        put_little(0, 2);
        put_little((uint64_t)members[i].method, 2);
        put_little(0, 4);
        put_little(checksums[i], 4);
        put_little(packed_sizes[i], 4);
        put_little(sizes[i], 4);
        put_little(name, 2);
        put_little(4, 2);
        put(members[i].name, name);
        put("\xFF\xFF\x00\x00", 4); // an extra field
        put(members[i].method ? packed : data, packed_sizes[i]);
    }
    directory = file.size;
    for (size_t i = 0; i < count; i++) {
        const bool large = members[i].large;
        put("PK\x01\x02", 4);
        put_little(20, 2);
        put_little(20, 2);
        put_little(0, 2);
        put_little((uint64_t)members[i].method, 2);
        put_little(0, 4);
        put_little(checksums[i], 4);
        put_little(large ? 0xFFFFFFFF : packed_sizes[i], 4);
        put_little(large ? 0xFFFFFFFF : sizes[i], 4);
        put_little(strlen(members[i].name), 2);
        put_little(large ? 28 : 0, 2);
        put_little(0, 2);
        put_little(0, 8);
        put_little(large ? 0xFFFFFFFF : places[i], 4);
        put(members[i].name, strlen(members[i].name));
        if (large) {
            put_little(1, 2);
            put_little(24, 2);
            put_little(sizes[i], 8);
            put_little(packed_sizes[i], 8);
            put_little(places[i], 8);
        }
    }
    end_record = file.size;
    put("PK\x05\x06", 4);
    put_little(0, 4);
    put_little(count, 2);
    put_little(count, 2);
    put_little(end_record - directory, 4);
    put_little(directory, 4);
    put_little(3, 2);
    put("end", 3); // a comment
}

static void holds(const char *path, double first) {
    ww_series_set *set = io_read(path);
    ck_assert_uint_eq(ww_series_set_count(set), 2);
    ck_assert_uint_eq(ww_series_set_length(set, 1), 2);
    ck_assert_double_eq(ww_series_set_values(set, 0)[0], first);
    ck_assert_double_eq(ww_series_set_values(set, 1)[1], first + 3);
    ww_series_set_destroy(&set);
}

START_TEST(stored_arrays) {
    put_archive((const member[]){{"x.npy", 1, 0, false}}, 1);
    holds(as_file("one.npz"), 1);
    file.size = 0;
    put_archive((const member[]){{"train.npy", 1, 0, false}, {"folder/test.npy", 10, 0, true}}, 2);
    as_file("two.npz");
    holds(io_path("two.npz:train"), 1);
    holds(io_path("two.npz:folder/test"), 10);
    refused(io_path("two.npz"), WW_ERROR_FORMAT, "train, folder/test");
    refused(io_path("two.npz:other"), WW_ERROR_FORMAT, "train, folder/test");
    refused(io_path("two.npz:"), WW_ERROR_IO, "two.npz:"); // no name: a file of that name
    refused(io_path("three.npz:train"), WW_ERROR_IO, "three.npz");
    ww_point_set *points = NULL;
    ck_assert_int_eq(ww_point_set_read(io_path("two.npz:train"), WW_POINTS_NUMBERS, &points), WW_OK);
    ww_point_set_destroy(&points);
    // A file that has such a name for its own.
    io_file("two.npz:train", "1,2\n", 4);
    ww_series_set *set = io_read(io_path("two.npz:train"));
    ck_assert_uint_eq(ww_series_set_count(set), 1);
    ww_series_set_destroy(&set);
}
END_TEST

START_TEST(arrays_that_are_damaged) {
    put_archive((const member[]){{"x.npy", 1, 0, false}, {"y.npy", 5, 0, true}}, 2);
    const size_t size = file.size;
    holds((as_file("a.npz"), io_path("a.npz:y")), 5);
    for (size_t cut = 0; cut + 3 < size; cut++) { // but for the comment
        ww_series_set *set = NULL;
        io_file("a.npz", file.data, cut);
        ck_assert_int_ne(ww_series_set_read(io_path("a.npz:y"), NULL, &set), WW_OK);
        ck_assert_ptr_null(set);
    }
    // Every byte once with each of these values: a set or an error.
    static const unsigned char values[] = {0x00, 0x01, 0x7F, 0x80, 0xFF};
    for (size_t at = 0; at < size; at++)
        for (size_t v = 0; v < sizeof values; v++) {
            ww_series_set *set = NULL;
            const char before = file.data[at];
            file.data[at] = (char)values[v];
            as_file("a.npz");
            const ww_status status = ww_series_set_read(io_path("a.npz:y"), NULL, &set);
            ck_assert_int_eq(status == WW_OK, set != NULL);
            ww_series_set_destroy(&set);
            file.data[at] = before;
        }
    file.data[directory + 10] = 99; // the method
    refused((as_file("a.npz"), io_path("a.npz:x")), WW_ERROR_UNSUPPORTED, "method 99");
}
END_TEST

START_TEST(other_archives) {
    refused(io_file("a.npz", "PK\x03\x04 and nothing more", 21), WW_ERROR_FORMAT, "directory");
    refused((io_file("a.npz", "1,2\n", 4), io_path("a.npz:x")), WW_ERROR_FORMAT, "not an .npz");
}
END_TEST

#ifdef WWI_HAVE_ZLIB
START_TEST(deflated_arrays) {
    put_archive((const member[]){{"x.npy", 1, 8, false}, {"y.npy", 5, 8, true}}, 2);
    as_file("a.npz");
    holds(io_path("a.npz:x"), 1);
    holds(io_path("a.npz:y"), 5);
    setenv("WAVEWARP_UNPACK_LIMIT", "100", 1);
    refused(io_path("a.npz:x"), WW_ERROR_OVERFLOW, "more than 100 bytes");
    unsetenv("WAVEWARP_UNPACK_LIMIT");
    file.data[directory + 17] = (char)(file.data[directory + 17] ^ 1);
    refused((as_file("a.npz"), io_path("a.npz:x")), WW_ERROR_FORMAT, "checksum");
}
END_TEST

static void put_gzip(const char *content, size_t size) {
    static char packed[1 << 15];
    uint32_t checksum;
    put(packed, pack(content, size, 15 + 16, packed, sizeof packed, &checksum));
}

// Every text format, told apart as when it is not packed.
START_TEST(packed_text) {
    static const struct {
        const char *name, *content;
    } texts[] = {{"a.csv", "1,2,3\n4,5,6\n"},
                 {"a.tsv", "1 2 3\n2 4 5\n"},
                 {"a.ts", "@classLabel true x y\n@data\n1,2:x\n3,4:y\n"},
                 {"a.arff", "@relation r\n@attribute a numeric\n@attribute c {x,y}\n@data\n1,x\n2,y\n"},
                 {"a", "1,2,3\n4,5,6\n"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char name[32];
        ww_series_set *plain = io_read_text(texts[i].name, texts[i].content), *packed = NULL;
        snprintf(name, sizeof name, "%s.gz", texts[i].name);
        file.size = 0;
        put_gzip(texts[i].content, strlen(texts[i].content));
        packed = io_read(as_file(name));
        ck_assert_uint_eq(ww_series_set_count(packed), ww_series_set_count(plain));
        for (size_t s = 0; s < ww_series_set_count(plain); s++) {
            ck_assert_uint_eq(ww_series_set_length(packed, s), ww_series_set_length(plain, s));
            ck_assert_mem_eq(ww_series_set_values(packed, s), ww_series_set_values(plain, s),
                             ww_series_set_length(plain, s) * sizeof(double));
            ck_assert_int_eq(ww_series_set_class(packed, s), ww_series_set_class(plain, s));
        }
        ww_series_set_destroy(&packed);
        ww_series_set_destroy(&plain);
    }
}
END_TEST

START_TEST(packed_files_joined) {
    put_gzip("1,2\n", 4);
    put_gzip("3,4\n", 4);
    put("\0\0\0", 3);
    ww_series_set *set = io_read(as_file("a.csv.gz"));
    ck_assert_uint_eq(ww_series_set_count(set), 2);
    ww_series_set_destroy(&set);
    put("x", 1);
    refused(as_file("a.csv.gz"), WW_ERROR_FORMAT, "follows");
}
END_TEST

START_TEST(packed_and_damaged) {
    put_gzip("1,2,3.25\n4,5,6.5\n", 17);
    const size_t size = file.size;
    size_t wrong = 0;
    for (size_t cut = 3; cut < size; cut++)
        refused(io_file("a.csv.gz", file.data, cut), WW_ERROR_FORMAT, "");
    for (size_t at = 10; at < size; at++) {
        file.data[at] = (char)(file.data[at] ^ 4);
        ww_series_set *set = NULL;
        const ww_status status = ww_series_set_read(as_file("a.csv.gz"), NULL, &set);
        // A bit that pads the last byte changes nothing.
        ck_assert(status == WW_ERROR_FORMAT || (status == WW_OK && ww_series_set_values(set, 1)[2] == 6.5));
        wrong += status == WW_ERROR_FORMAT;
        ww_series_set_destroy(&set);
        file.data[at] = (char)(file.data[at] ^ 4);
    }
    ck_assert_uint_ge(wrong, size - 10 - 1);
    file.size = 0;
    put_gzip("", 0);
    refused(as_file("a.csv.gz"), WW_ERROR_EMPTY, "empty");
}
END_TEST

// 8 MiB of zeros in 8 KiB: stopped at the limit, not at the end of memory.
START_TEST(bombs) {
    const size_t size = 8 << 20;
    char *zeros = calloc(size, 1);
    ck_assert_ptr_nonnull(zeros);
    put_gzip(zeros, size);
    ck_assert_uint_lt(file.size, size / 500);
    free(zeros);
    setenv("WAVEWARP_UNPACK_LIMIT", "1M", 1);
    refused(as_file("a.csv.gz"), WW_ERROR_OVERFLOW, "WAVEWARP_UNPACK_LIMIT");
    ck_assert_ptr_nonnull(strstr(ww_last_error()->message, "1048576"));
    setenv("WAVEWARP_UNPACK_LIMIT", "8M", 1);
    refused(as_file("a.csv.gz"), WW_ERROR_FORMAT, "text"); // zeros are none
}
END_TEST
#else
START_TEST(without_zlib) {
    refused(io_file("a.csv.gz", "\x1F\x8B\x08\x00 and more than this", 25), WW_ERROR_UNSUPPORTED, "zlib");
    put_archive((const member[]){{"x.npy", 1, 8, false}}, 1);
    refused(as_file("a.npz"), WW_ERROR_UNSUPPORTED, "zlib");
}
END_TEST
#endif

// ---- ARFF

START_TEST(arff) {
    ww_series_set *set = io_read_text("a", "% remark\n@RELATION 'two words'\n\n@ATTRIBUTE a1 REAL\n@attribute 'a 2' "
                                           "numeric\n@attribute a3 integer\n@attribute target {1,'b c', d}\n\n@data\n"
                                           "1, 2.5 ,-3e2,1.0\n% remark\n4,?,6,'b c'\r\n7,8,?,d\n9,8,7,?\n");
    ck_assert_uint_eq(ww_series_set_count(set), 4);
    ck_assert_double_eq(ww_series_set_values(set, 0)[2], -300);
    ck_assert(isnan(ww_series_set_values(set, 1)[1]));
    ck_assert_uint_eq(ww_series_set_length(set, 2), 2); // what is missing at the end is padding
    ck_assert_str_eq(ww_series_set_label(set, 0), "1");
    ck_assert_str_eq(ww_series_set_label(set, 1), "b c");
    ck_assert_ptr_null(ww_series_set_label(set, 3));
    ww_series_set_destroy(&set);
    set = io_read_text(
        "a", "@relation r\n@attribute c {x,y}\n@attribute a1 real\n@attribute a2 real\n@data\nx,1,2\ny,3,4\n");
    ck_assert_double_eq(ww_series_set_values(set, 1)[0], 3);
    ck_assert_str_eq(ww_series_set_label(set, 1), "y");
    ww_series_set_destroy(&set);
    set = io_read_text("a", "@relation r\n@attribute a1 real\n@attribute a2 real\n@data\n1,2\n");
    ck_assert_uint_eq(ww_series_set_class_count(set), 0);
    ww_series_set_destroy(&set);
}
END_TEST

START_TEST(arff_with_channels) {
    ww_series_set *set =
        io_read_text("a.arff", "@relation BasicMotions\n@attribute relationalAtt relational\n@attribute t1 numeric\n"
                               "@attribute t2 numeric\n@attribute t3 numeric\n@end relationalAtt\n"
                               "@attribute classAtt {Standing,Running}\n@data\n"
                               "'1,2,3\\n4,5,6',Standing\n\"7,8,?\\n9,10,?\",Running\n");
    ck_assert_uint_eq(ww_series_set_channels(set), 2);
    ck_assert_uint_eq(ww_series_set_length(set, 0), 3);
    ck_assert_double_eq(ww_series_set_values(set, 0)[4], 5);
    ck_assert_uint_eq(ww_series_set_length(set, 1), 2);
    ck_assert_double_eq(ww_series_set_values(set, 1)[3], 10);
    ck_assert_str_eq(ww_series_set_label(set, 1), "Running");
    ww_series_set_destroy(&set);
}
END_TEST

#define HEAD "@relation r\n@attribute a real\n@attribute b real\n@attribute c {x,y}\n@data\n"
#define RELATION                                                                                                       \
    "@relation r\n@attribute m relational\n@attribute a real\n@attribute b real\n@end m\n@attribute c {x,y}\n@data\n"

START_TEST(arff_that_is_wrong) {
    static const struct {
        const char *content;
        ww_status status;
        const char *word;
    } bad[] = {{HEAD "1,2,z\n", WW_ERROR_FORMAT, "not in the header's list"},
               {HEAD "1,2,3,x\n", WW_ERROR_FORMAT, "3 values where the header has 2"},
               {HEAD "1,x\n", WW_ERROR_FORMAT, "1 values"},
               {HEAD "1,w,x\n", WW_ERROR_FORMAT, "not a number"},
               {HEAD "x\n", WW_ERROR_FORMAT, "expected ','"},
               {HEAD "?,?,x\n", WW_ERROR_EMPTY, "has no values"},
               {HEAD "{0 1, 2 x}\n", WW_ERROR_UNSUPPORTED, "sparse"},
               {HEAD, WW_ERROR_EMPTY, "no series"},
               {RELATION "'1,2\\n3,4',z\n", WW_ERROR_FORMAT, "not in the header's list"},
               {RELATION "1,2,x\n", WW_ERROR_FORMAT, "in quotes"},
               {RELATION "'1,2\\n3',x\n", WW_ERROR_FORMAT, "1 values"},
               {RELATION "'1,2\\n3,4',x\n'1,2',x\n", WW_ERROR_CHANNELS, "1 channels"},
               {RELATION "'1,2\\n3,4,x\n", WW_ERROR_FORMAT, "in quotes"},
               {"@relation r\n@attribute a string\n@data\n", WW_ERROR_UNSUPPORTED, "type 'string'"},
               {"@relation r\n@attribute a {x\n@data\n", WW_ERROR_FORMAT, "does not end"},
               {"@relation r\n@attribute a {x}\n@attribute b {x}\n@data\n", WW_ERROR_UNSUPPORTED, "type"},
               {"@relation r\n@attribute a real\n@attribute c {x}\n@attribute b real\n@data\n1,x,2\n",
                WW_ERROR_UNSUPPORTED, "neither the first nor the last"},
               {"@relation r\n@data\n", WW_ERROR_FORMAT, "no numeric"},
               {"@relation r\n@attribute a real\n", WW_ERROR_FORMAT, "no line @data"},
               {"@relation r\n1,2\n", WW_ERROR_FORMAT, "expected @attribute"}};
    refused(io_file("a.arff", bad[_i].content, strlen(bad[_i].content)), bad[_i].status, bad[_i].word);
}
END_TEST

START_TEST(arff_is_not_written) {
    ww_series_set *set = io_read_text("a.csv", "1,2\n");
    ck_assert_int_eq(ww_series_set_write(set, io_path("a.arff"), WW_FORMAT_AUTO, WW_DOUBLE), WW_ERROR_UNSUPPORTED);
    ck_assert_int_eq(ww_series_set_write(set, io_path("a.arff"), WW_FORMAT_ARFF, WW_DOUBLE), WW_ERROR_UNSUPPORTED);
    ck_assert_int_ne(access(io_path("a.arff"), F_OK), 0);
    ww_series_set_destroy(&set);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("packed");
    TCase *tcase = wwt_case(suite, "packed", 20);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, stored_arrays);
    tcase_add_test(tcase, arrays_that_are_damaged);
    tcase_add_test(tcase, other_archives);
#ifdef WWI_HAVE_ZLIB
    tcase_add_test(tcase, deflated_arrays);
    tcase_add_test(tcase, packed_text);
    tcase_add_test(tcase, packed_files_joined);
    tcase_add_test(tcase, packed_and_damaged);
    tcase_add_test(tcase, bombs);
#else
    tcase_add_test(tcase, without_zlib);
#endif
    tcase_add_test(tcase, arff);
    tcase_add_test(tcase, arff_with_channels);
    tcase_add_loop_test(tcase, arff_that_is_wrong, 0, 20);
    tcase_add_test(tcase, arff_is_not_written);
    return wwt_run(suite);
}
