#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The kernels that are compiled off-line: names, texts and options, made from the rules of kernels_cl/combinations.txt.

Lines of that file ('#' starts a comment):
    kernel NAME : file ...        the texts of a kind of kernel in their order, base/option_names.h before them; <slot> is one that rules fill, or none
    when WORD ... : setting ...   what the kernels have whose names hold all these words: a later line replaces an earlier
                                  one's. a|b is either word, !a its absence
    check NAME ... [: setting ...]  the kernels: words joined by '-', the first is the kind; {a,b} is either, as in a shell.
                                  Settings are for these kernels alone, after all rules
Settings:
    NAME=value                    -DWW_NAME=value; NAME= is none
    -Dname=value                  an option as it is
    <slot>=file,file              the texts of a slot
    parameters=a,b                parameters of the launch. In float (word f32) each has its rounding error, a_lost
    and any other word            a flag: see kernels.py
"""
import os
import re


def expand(text):
    """All that a text with {a,b} stands for, the leftmost choice outermost."""
    found = re.search(r"{([^{}]*)}", text)
    if not found:
        return [text]
    return [name for choice in found.group(1).split(",")
            for name in expand(text[:found.start()] + choice + text[found.end():])]


def holds(words, condition):
    return all(word[1:] not in words if word[0] == "!" else not words.isdisjoint(word.split("|")) for word in condition)


def settle(words, rules):
    """The options of a name, what fills its slots, and its flags."""
    options, slots, flags, parameters = {}, {}, set(), []
    for condition, settings in rules:
        if not holds(words, condition):
            continue
        for setting in settings:
            name, equals, value = setting.partition("=")
            if not equals:
                flags.add(name)
            elif name[0] == "<":
                slots[name] = value.split(",") if value else []
            elif name == "parameters":
                parameters = value.split(",")
            else:
                options[name if name.startswith("-D") else "-DWW_" + name] = value
    if "f32" in words:
        parameters = [name for own in parameters for name in (own, own + "_lost")]
    if "soft" in words:
        parameters = parameters + ["soft_scale", "soft_unit"]
    if parameters:
        options["-DWW_PARAMETERS"] = ",".join(parameters)
    return [f"{name}={value}" for name, value in options.items() if value], slots, flags


def read(path):
    """(name, files, options, flags) of each kernel, in the order of the file."""
    kinds, rules, names = {}, [], []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            words = line.split("#")[0].split()
            colon = words.index(":") if ":" in words else len(words)
            if not words:
                continue
            if words[0] == "check":
                own = [([], words[colon + 1:])]
                names += [(name, own) for text in words[1:colon] for name in expand(text)]
            elif words[0] == "when":
                rules.append((words[1:colon], words[colon + 1:]))
            elif words[0] == "kernel" and colon == 2:
                kinds[words[1]] = words[3:]
            else:
                raise ValueError(f"{path}:{number}: neither kernel, when nor check")
    for name, own in names:
        words = name.split("-")
        options, slots, flags = settle(set(words), rules + own)
        files = ["base/option_names.h"] + [text for file in kinds[words[0]] for text in (slots.get(file, []) if file[0] == "<" else [file])]
        yield name, files, options, flags


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    for name, files, options, flags in read(os.path.join(here, "..", "..", "kernels_cl", "combinations.txt")):
        print(name, ":", *files, ":", *options, *([":", *sorted(flags)] if flags else []))
