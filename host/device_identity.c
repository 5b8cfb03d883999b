// SPDX-License-Identifier: Apache-2.0
// Names of a device that stay the same when the list of devices changes: its UUID and its address on the PCI bus. Both
// come from extensions; a driver without them leaves a name empty.
#include <stdio.h>
#include <string.h>

#include "internal.h"

// cl_khr_device_uuid, cl_khr_pci_bus_info, cl_nv_device_attribute_query and cl_amd_device_attribute_query: older
// headers lack them.
enum {
    DEVICE_UUID_KHR = 0x106A,
    DEVICE_PCI_BUS_INFO_KHR = 0x410F,
    DEVICE_PCI_BUS_ID_NV = 0x4008,
    DEVICE_PCI_SLOT_ID_NV = 0x4009,
    DEVICE_PCI_DOMAIN_ID_NV = 0x400A,
    DEVICE_TOPOLOGY_AMD = 0x4037
};

typedef struct pci_address {
    cl_uint domain, bus, device, function;
} pci_address;

static bool query(cl_device_id id, cl_device_info what, void *value, size_t bytes) {
    size_t given = 0;
    return clGetDeviceInfo(id, what, bytes, value, &given) == CL_SUCCESS && given == bytes;
}

static bool find_uuid(cl_device_id id, unsigned char uuid[16]) {
    static const unsigned char none[16];
    return query(id, DEVICE_UUID_KHR, uuid, 16) && memcmp(uuid, none, 16) != 0;
}

// AMD's record: a type (1: PCIe), 17 bytes without a meaning, then bus, device and function.
static bool find_pci_amd(cl_device_id id, pci_address *pci) {
    unsigned char topology[24];
    cl_uint type = 0;
    if (!query(id, DEVICE_TOPOLOGY_AMD, topology, sizeof topology))
        return false;
    memcpy(&type, topology, sizeof type);
    *pci = (pci_address){0, topology[21], topology[22], topology[23]};
    return type == 1;
}

static bool find_pci(cl_device_id id, pci_address *pci) {
    cl_uint bus = 0, slot = 0, domain = 0;
    if (query(id, DEVICE_PCI_BUS_INFO_KHR, pci, sizeof *pci))
        return true;
    if (query(id, DEVICE_PCI_BUS_ID_NV, &bus, sizeof bus) && query(id, DEVICE_PCI_SLOT_ID_NV, &slot, sizeof slot)) {
        (void)query(id, DEVICE_PCI_DOMAIN_ID_NV, &domain, sizeof domain);
        *pci = (pci_address){domain, bus, slot >> 3, slot & 7};
        return true;
    }
    return find_pci_amd(id, pci);
}

void wwi_device_identify(cl_device_id id, ww_device_info *info) {
    unsigned char uuid[16];
    pci_address pci;
    info->uuid[0] = info->pci[0] = '\0';
    if (find_uuid(id, uuid)) {
        char *at = info->uuid;
        for (size_t i = 0; i < sizeof uuid; i++)
            at += sprintf(at, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
    }
    if (find_pci(id, &pci))
        (void)snprintf(info->pci, sizeof info->pci, "%04x:%02x:%02x.%x", pci.domain, pci.bus, pci.device, pci.function);
}

static bool read_pci(const char *text, pci_address *pci) {
    int end = 0;
    *pci = (pci_address){0, 0, 0, 0};
    if (sscanf(text, "%8x:%2x:%2x.%1x%n", &pci->domain, &pci->bus, &pci->device, &pci->function, &end) == 4)
        return text[end] == '\0';
    *pci = (pci_address){0, 0, 0, 0};
    return sscanf(text, "%2x:%2x.%1x%n", &pci->bus, &pci->device, &pci->function, &end) == 3 && text[end] == '\0';
}

bool wwi_device_has_identity(const ww_device_info *info, const char *wanted) {
    pci_address a, b;
    if (info->uuid[0]) {
        const char *uuid = strncasecmp(wanted, "GPU-", 4) == 0 ? wanted + 4 : wanted;
        if (strcasecmp(uuid, info->uuid) == 0)
            return true;
    }
    return info->pci[0] && read_pci(wanted, &a) && read_pci(info->pci, &b) && memcmp(&a, &b, sizeof a) == 0;
}
