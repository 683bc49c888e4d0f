"""Fuzzing: inputs that grow from goldens by chance and coverage, judged against the reference.

    target      what is fuzzed: a file, the requests about it; one module each in `targets`
    documents   edits of JSON documents
    records     edits of binary records, field by field
    demand      what the law binds of a verdict, and what departs from it
    reduce      a finding made small
    hook        what atheris is told of comparisons
    worker      the process that fuzzes, which ends when it has done so
    run         the process that starts it and takes what it found
    trial       one target on one implementation
    keep        findings on the disk: input, annotated bytes, a line to replay it

Only `worker` needs atheris, which is there for x86-64 Linux alone: `pip install "pytest-vindex3[fuzz]"`.
"""
