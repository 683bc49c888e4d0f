/* Reads of one file by any program that goes through the C library, counted and hindered.
 *
 * Preloaded (LD_PRELOAD) into a program. Its environment says what is watched, in the terms of `Reading`
 * (outcome.py); numbers that are not there are 0, those marked * are one more than what is meant:
 *
 *   VINDEX3_READS            a file of six 64-bit words, shared: whether this library was loaded, calls,
 *                            hindered, failed, direct, buffered
 *   VINDEX3_READS_FILE       the path of the file, absolute and without links
 *   VINDEX3_READS_START, _END*          the part that is watched
 *   VINDEX3_READS_MOST*, _LENGTH*       what a call gives at most, where the file seems to end
 *   VINDEX3_READS_ERROR, _TIMES*        the errno with which calls fail, and how many do
 *   VINDEX3_READS_DIRECT, _OPENING, _INTERRUPTED        1 or nothing
 *   VINDEX3_READS_ONE, _OTHER           the folders that exchange their names
 *
 * Without the first, everything goes through. What is mapped, and what programs read by calling the kernel by
 * themselves, is not seen.
 */
#include "preloaded.h"

struct counts {
    _Atomic uint64_t loaded, calls, hindered, failed, direct, buffered;
};

static struct counts *counts;
static const char *file, *one, *other;
static uint64_t start, end, most, length, times;
static int error, direct_only, opening, interrupting;
static atomic_flag exchanged = ATOMIC_FLAG_INIT;
static _Thread_local int was_interrupted;

/* A number that may be absent. */
static uint64_t bound_in(const char *name)
{
    return number_in(name) - 1;
}

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("VINDEX3_READS");
    file = getenv("VINDEX3_READS_FILE");
    if (!path || !file) return;
    one = getenv("VINDEX3_READS_ONE");
    other = getenv("VINDEX3_READS_OTHER");
    start = number_in("VINDEX3_READS_START");
    end = bound_in("VINDEX3_READS_END");
    most = bound_in("VINDEX3_READS_MOST");
    length = bound_in("VINDEX3_READS_LENGTH");
    times = bound_in("VINDEX3_READS_TIMES");
    error = (int)number_in("VINDEX3_READS_ERROR");
    direct_only = (int)number_in("VINDEX3_READS_DIRECT");
    opening = (int)number_in("VINDEX3_READS_OPENING");
    interrupting = (int)number_in("VINDEX3_READS_INTERRUPTED");
    counts = shared_memory(path, sizeof *counts);
    if (counts) counts->loaded = 1;
}

static int is_file(int descriptor)
{
    char path[PATH_MAX];
    int kept = errno;
    int found = counts && path_of(descriptor, path) && !strcmp(path, file);
    errno = kept;
    return found;
}

static int is_direct(int descriptor)
{
    int kept = errno, flags = fcntl(descriptor, F_GETFL);
    errno = kept;
    return flags >= 0 && flags & O_DIRECT;
}

static int applies(int descriptor)
{
    return !direct_only || is_direct(descriptor);
}

/* Whether a call fails, with errno set. */
static int fails(void)
{
    if (!error || counts->failed >= times) return 0;
    ++counts->failed;
    ++counts->hindered;
    errno = error;
    return 1;
}

/* Whether a call is interrupted: each one once. */
static int interrupts(void)
{
    was_interrupted = interrupting && !was_interrupted;
    if (!was_interrupted) return 0;
    ++counts->hindered;
    errno = EINTR;
    return 1;
}

static void exchange(void)
{
    char aside[PATH_MAX + 16];
    int kept = errno;
    if (!one || !other || atomic_flag_test_and_set(&exchanged)) return;
    snprintf(aside, sizeof aside, "%s.exchanged", one);
    if (!rename(one, aside) && !rename(other, one) && !rename(aside, other)) ++counts->hindered;
    errno = kept;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static size_t size_of(const struct iovec *parts, int count)
{
    size_t size = 0;
    for (int i = 0; i < count; ++i) size += parts[i].iov_len;
    return size;
}

/* Copy the memory of all parts out of them, or what lies from a place on back into them. */
static void keep(char *kept, const struct iovec *parts, int count)
{
    for (int i = 0; i < count; kept += parts[i++].iov_len) memcpy(kept, parts[i].iov_base, parts[i].iov_len);
}

static void restore(const char *kept, const struct iovec *parts, int count, size_t from)
{
    for (int i = 0; i < count; kept += parts[i++].iov_len) {
        size_t size = parts[i].iov_len, given = less(from, size);
        memcpy((char *)parts[i].iov_base + given, kept + given, size - given);
        from -= given;
    }
}

typedef ssize_t reading(int file, const struct iovec *parts, int count, off64_t at, int flags);

/* One call: at a place, or from the position of the descriptor, where `at` is -1. */
static ssize_t turn(reading *plain, int descriptor, const struct iovec *parts, int count, off64_t at,
                    int flags)
{
    if (!is_file(descriptor)) return plain(descriptor, parts, count, at, flags);
    off64_t from = at < 0 ? lseek64(descriptor, 0, SEEK_CUR) : at;
    size_t wanted = size_of(parts, count);
    if (from < 0 || (uint64_t)from + wanted <= start || (uint64_t)from >= end)
        return plain(descriptor, parts, count, at, flags);
    ++counts->calls;
    exchange();
    uint64_t allowed = UINT64_MAX;
    if (applies(descriptor)) {
        if (interrupts() || (!opening && fails())) return -1;
        allowed = less(most, length > (uint64_t)from ? length - (uint64_t)from : 0);
    }
    char *kept = allowed < wanted ? malloc(wanted) : NULL;
    if (kept) keep(kept, parts, count);
    ssize_t got = plain(descriptor, parts, count, at, flags);
    if (got >= 0) {
        size_t given = less((uint64_t)got, allowed);
        if (given < (size_t)got) {
            ++counts->hindered;
            if (kept) restore(kept, parts, count, given);
            if (at < 0) lseek64(descriptor, from + (off64_t)given, SEEK_SET);
        }
        uint64_t first = (uint64_t)from > start ? (uint64_t)from : start;
        uint64_t last = less((uint64_t)from + given, end);
        *(is_direct(descriptor) ? &counts->direct : &counts->buffered) += last > first ? last - first : 0;
        got = (ssize_t)given;
    }
    int why = errno;
    free(kept);
    errno = why;
    return got;
}

static ssize_t plain_readv(int descriptor, const struct iovec *parts, int count, off64_t at, int flags)
{
    (void)at, (void)flags;
    return NEXT(readv)(descriptor, parts, count);
}

static ssize_t plain_preadv(int descriptor, const struct iovec *parts, int count, off64_t at, int flags)
{
    return flags ? NEXT(preadv64v2)(descriptor, parts, count, at, flags)
                 : NEXT(preadv64)(descriptor, parts, count, at);
}

static ssize_t plain_read(int descriptor, const struct iovec *parts, int count, off64_t at, int flags)
{
    (void)at, (void)flags, (void)count;
    return NEXT(read)(descriptor, parts->iov_base, parts->iov_len);
}

static ssize_t plain_pread(int descriptor, const struct iovec *parts, int count, off64_t at, int flags)
{
    (void)flags, (void)count;
    return NEXT(pread64)(descriptor, parts->iov_base, parts->iov_len, at);
}

ssize_t read(int descriptor, void *data, size_t size)
{
    struct iovec part = {data, size};
    return turn(plain_read, descriptor, &part, 1, -1, 0);
}

ssize_t readv(int descriptor, const struct iovec *parts, int count)
{
    return turn(plain_readv, descriptor, parts, count, -1, 0);
}

#define AT(name, offset)                                                     \
    ssize_t name(int descriptor, void *data, size_t size, offset at)         \
    {                                                                        \
        struct iovec part = {data, size};                                    \
        return turn(plain_pread, descriptor, &part, 1, at, 0);               \
    }
AT(pread, off_t)
AT(pread64, off64_t)

#define PARTS_AT(name, offset)                                               \
    ssize_t name(int descriptor, const struct iovec *parts, int count, offset at) \
    {                                                                        \
        return turn(plain_preadv, descriptor, parts, count, at, 0);          \
    }
PARTS_AT(preadv, off_t)
PARTS_AT(preadv64, off64_t)

#define FLAGGED(name, offset)                                                \
    ssize_t name(int descriptor, const struct iovec *parts, int count, offset at, int flags) \
    {                                                                        \
        return turn(plain_preadv, descriptor, parts, count, at, flags);      \
    }
FLAGGED(preadv2, off_t)
FLAGGED(preadv64v2, off64_t)

/* What programs call instead that were built with checks of buffers. */
ssize_t __read_chk(int descriptor, void *data, size_t size, size_t room)
{
    if (size > room) abort();
    return read(descriptor, data, size);
}

ssize_t __pread_chk(int descriptor, void *data, size_t size, off_t at, size_t room)
{
    if (size > room) abort();
    return pread(descriptor, data, size, at);
}

ssize_t __pread64_chk(int descriptor, void *data, size_t size, off64_t at, size_t room)
{
    if (size > room) abort();
    return pread64(descriptor, data, size, at);
}

/* Opening, which may fail once the file is open. */
static int opened(int descriptor)
{
    if (descriptor < 0 || !opening || !is_file(descriptor) || !applies(descriptor) || !fails())
        return descriptor;
    int why = errno;
    close(descriptor);
    errno = why;
    return -1;
}

#define OPEN(name)                                                           \
    int name(const char *path, int flags, ...)                               \
    {                                                                        \
        MODE_AFTER(flags)                                                    \
        return opened(NEXT(name)(path, flags, mode));                        \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                         \
    int name(int at, const char *path, int flags, ...)                       \
    {                                                                        \
        MODE_AFTER(flags)                                                    \
        return opened(NEXT(name)(at, path, flags, mode));                    \
    }
OPENAT(openat)
OPENAT(openat64)

/* Streams that read the file: every byte goes through read() above, which the C library would call again. */
static ssize_t stream_read(void *stream, char *data, size_t size)
{
    ssize_t got;
    do got = read((int)(intptr_t)stream, data, size);
    while (got < 0 && errno == EINTR);
    return got;
}

static int reads(const char *mode)
{
    return mode[0] == 'r' && !strchr(mode, '+');
}

static FILE *open_stream(FILE *plain(const char *, const char *), const char *path, const char *mode)
{
    int descriptor = counts && reads(mode) ? open(path, O_RDONLY | (strchr(mode, 'e') ? O_CLOEXEC : 0)) : -1;
    if (descriptor < 0) return counts && reads(mode) ? NULL : plain(path, mode);
    if (is_file(descriptor)) return stream_of(descriptor, "r", stream_read, NULL);
    close(descriptor);
    return plain(path, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    return open_stream(NEXT(fopen), path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
    return open_stream(NEXT(fopen64), path, mode);
}

FILE *fdopen(int descriptor, const char *mode)
{
    return reads(mode) && is_file(descriptor) ? stream_of(descriptor, "r", stream_read, NULL) : NEXT(fdopen)(descriptor, mode);
}
