/* Changes of files by any program that goes through the C library, counted, and one of them not let happen.
 *
 * Preloaded (LD_PRELOAD) into a program. Its environment says what is watched:
 *
 *   VINDEX3_CHANGES          a file of three 64-bit words, shared: changes, whether one was stopped, whether
 *                            this library was loaded
 *   VINDEX3_CHANGES_FOLDER   the folder in which changes count, an absolute path without links
 *   VINDEX3_CHANGES_BEFORE   the number of the change that does not happen, from 1; 0 for none
 *   VINDEX3_CHANGES_ERROR    the errno with which that call fails; 0 ends the process group before it
 *
 * Without the first, everything goes through. Programs that call the kernel by themselves are not seen.
 */
#include "preloaded.h"

#include <signal.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

struct counts {
    _Atomic uint64_t changes, stopped, loaded;
};

static struct counts *counts;
static const char *folder;
static uint64_t before;
static int error;

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("VINDEX3_CHANGES");
    folder = getenv("VINDEX3_CHANGES_FOLDER");
    if (!path || !folder) return;
    before = number_in("VINDEX3_CHANGES_BEFORE");
    error = (int)number_in("VINDEX3_CHANGES_ERROR");
    counts = shared_memory(path, sizeof *counts);
    if (counts) counts->loaded = 1;
}

/* Count a change. Whether it fails, with errno set; a change that ends the program does not return. */
static int fails(void)
{
    uint64_t number = ++counts->changes;
    if (number != before) return 0;
    counts->stopped = 1;
    if (error) {
        errno = error;
        return 1;
    }
    kill(0, SIGKILL);
    for (;;) pause();
}

static int is_inside(const char *path)
{
    size_t length = strlen(folder);
    return !strncmp(path, folder, length) && (!path[length] || path[length] == '/');
}

static int watches_file(int descriptor)
{
    char path[PATH_MAX];
    int kept = errno;
    int inside = counts && path_of(descriptor, path) && is_inside(path);
    errno = kept;
    return inside;
}

/* Whether a name, in a folder that is open or current, is that of something in the watched folder. */
static int resolves_inside(int at, const char *name)
{
    char joined[2 * PATH_MAX], parent[3 * PATH_MAX + 1];
    joined[0] = 0;
    if (name[0] != '/' && at != AT_FDCWD && !path_of(at, joined)) return 0;
    size_t length = strlen(joined);
    if (length + 1 + strlen(name) >= sizeof joined) return 0;
    if (length) joined[length++] = '/';
    strcpy(joined + length, name);
    length = strlen(joined);
    while (length > 1 && joined[length - 1] == '/') joined[--length] = 0;
    char *last = strrchr(joined, '/');
    char *base = last ? last + 1 : joined;
    char above[2] = {last == joined ? '/' : '.', 0};
    if (last) *last = 0;
    if (!realpath(joined != base && *joined ? joined : above, parent)) return 0;
    length = strlen(parent);
    snprintf(parent + length, sizeof parent - length, "/%s", base);
    return is_inside(parent[0] == '/' && parent[1] == '/' ? parent + 1 : parent);
}

static int watches_name(int at, const char *name)
{
    int kept = errno;
    int inside = counts && name && *name && resolves_inside(at, name);
    errno = kept;
    return inside;
}

static int creates(int flags)
{
    return flags & (O_CREAT | O_TRUNC) || (flags & O_TMPFILE) == O_TMPFILE;
}

#define OPEN(name)                                                           \
    int name(const char *path, int flags, ...)                               \
    {                                                                        \
        MODE_AFTER(flags)                                                    \
        if (creates(flags) && watches_name(AT_FDCWD, path) && fails()) return -1; \
        return NEXT(name)(path, flags, mode);                                \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                         \
    int name(int at, const char *path, int flags, ...)                       \
    {                                                                        \
        MODE_AFTER(flags)                                                    \
        if (creates(flags) && watches_name(at, path) && fails()) return -1;  \
        return NEXT(name)(at, path, flags, mode);                            \
    }
OPENAT(openat)
OPENAT(openat64)

/* A function that changes what a name stands for, or the file behind a descriptor. */
#define BY_NAME(type, name, at, path, parameters, arguments)                 \
    type name parameters                                                     \
    {                                                                        \
        if (watches_name(at, path) && fails()) return (type)-1;              \
        return NEXT(name) arguments;                                         \
    }
#define BY_FILE(type, name, descriptor, parameters, arguments)               \
    type name parameters                                                     \
    {                                                                        \
        if (watches_file(descriptor) && fails()) return (type)-1;            \
        return NEXT(name) arguments;                                         \
    }
#define BY_NAMES(name, at, path, other_at, other, parameters, arguments)     \
    int name parameters                                                      \
    {                                                                        \
        if ((watches_name(at, path) || watches_name(other_at, other)) && fails()) return -1; \
        return NEXT(name) arguments;                                         \
    }

BY_NAME(int, creat, AT_FDCWD, path, (const char *path, mode_t mode), (path, mode))
BY_NAME(int, creat64, AT_FDCWD, path, (const char *path, mode_t mode), (path, mode))
BY_NAME(int, mkdir, AT_FDCWD, path, (const char *path, mode_t mode), (path, mode))
BY_NAME(int, mkdirat, at, path, (int at, const char *path, mode_t mode), (at, path, mode))
BY_NAME(int, mkfifo, AT_FDCWD, path, (const char *path, mode_t mode), (path, mode))
BY_NAME(int, mknod, AT_FDCWD, path, (const char *path, mode_t mode, dev_t device), (path, mode, device))
BY_NAME(int, mknodat, at, path, (int at, const char *path, mode_t mode, dev_t device),
        (at, path, mode, device))
BY_NAME(int, rmdir, AT_FDCWD, path, (const char *path), (path))
BY_NAME(int, unlink, AT_FDCWD, path, (const char *path), (path))
BY_NAME(int, unlinkat, at, path, (int at, const char *path, int flags), (at, path, flags))
BY_NAME(int, remove, AT_FDCWD, path, (const char *path), (path))
BY_NAME(int, truncate, AT_FDCWD, path, (const char *path, off_t length), (path, length))
BY_NAME(int, truncate64, AT_FDCWD, path, (const char *path, off64_t length), (path, length))
BY_NAME(int, link, AT_FDCWD, path, (const char *old, const char *path), (old, path))
BY_NAME(int, linkat, at, path, (int old_at, const char *old, int at, const char *path, int flags),
        (old_at, old, at, path, flags))
BY_NAME(int, symlink, AT_FDCWD, path, (const char *old, const char *path), (old, path))
BY_NAME(int, symlinkat, at, path, (const char *old, int at, const char *path), (old, at, path))
BY_NAME(int, mkstemp, AT_FDCWD, path, (char *path), (path))
BY_NAME(int, mkstemp64, AT_FDCWD, path, (char *path), (path))
BY_NAME(int, mkostemp, AT_FDCWD, path, (char *path, int flags), (path, flags))
BY_NAME(int, mkostemp64, AT_FDCWD, path, (char *path, int flags), (path, flags))
BY_NAME(int, mkstemps, AT_FDCWD, path, (char *path, int suffix), (path, suffix))
BY_NAME(int, mkostemps, AT_FDCWD, path, (char *path, int suffix, int flags), (path, suffix, flags))

char *mkdtemp(char *path)
{
    if (watches_name(AT_FDCWD, path) && fails()) return NULL;
    return NEXT(mkdtemp)(path);
}

BY_NAMES(rename, AT_FDCWD, old, AT_FDCWD, path, (const char *old, const char *path), (old, path))
BY_NAMES(renameat, old_at, old, at, path, (int old_at, const char *old, int at, const char *path),
         (old_at, old, at, path))
BY_NAMES(renameat2, old_at, old, at, path,
         (int old_at, const char *old, int at, const char *path, unsigned flags),
         (old_at, old, at, path, flags))

BY_FILE(ssize_t, write, file, (int file, const void *data, size_t length), (file, data, length))
BY_FILE(ssize_t, pwrite, file, (int file, const void *data, size_t length, off_t at),
        (file, data, length, at))
BY_FILE(ssize_t, pwrite64, file, (int file, const void *data, size_t length, off64_t at),
        (file, data, length, at))
BY_FILE(ssize_t, writev, file, (int file, const struct iovec *parts, int count), (file, parts, count))
BY_FILE(ssize_t, pwritev, file, (int file, const struct iovec *parts, int count, off_t at),
        (file, parts, count, at))
BY_FILE(ssize_t, pwritev64, file, (int file, const struct iovec *parts, int count, off64_t at),
        (file, parts, count, at))
BY_FILE(ssize_t, pwritev2, file, (int file, const struct iovec *parts, int count, off_t at, int flags),
        (file, parts, count, at, flags))
BY_FILE(ssize_t, pwritev64v2, file, (int file, const struct iovec *parts, int count, off64_t at, int flags),
        (file, parts, count, at, flags))
BY_FILE(int, ftruncate, file, (int file, off_t length), (file, length))
BY_FILE(int, ftruncate64, file, (int file, off64_t length), (file, length))
BY_FILE(int, fallocate, file, (int file, int mode, off_t at, off_t length), (file, mode, at, length))
BY_FILE(int, fallocate64, file, (int file, int mode, off64_t at, off64_t length), (file, mode, at, length))
BY_FILE(ssize_t, sendfile, file, (int file, int from, off_t *at, size_t length), (file, from, at, length))
BY_FILE(ssize_t, sendfile64, file, (int file, int from, off64_t *at, size_t length), (file, from, at, length))
BY_FILE(ssize_t, copy_file_range, file,
        (int from, off64_t *from_at, int file, off64_t *at, size_t length, unsigned flags),
        (from, from_at, file, at, length, flags))
BY_FILE(ssize_t, splice, file,
        (int from, off64_t *from_at, int file, off64_t *at, size_t length, unsigned flags),
        (from, from_at, file, at, length, flags))

/* These two answer with the error itself. */
int posix_fallocate(int file, off_t at, off_t length)
{
    return watches_file(file) && fails() ? errno : NEXT(posix_fallocate)(file, at, length);
}

int posix_fallocate64(int file, off64_t at, off64_t length)
{
    return watches_file(file) && fails() ? errno : NEXT(posix_fallocate64)(file, at, length);
}

/* Streams that write: every byte goes through write() above. */
static ssize_t stream_read(void *file, char *data, size_t length)
{
    return read((int)(intptr_t)file, data, length);
}

static ssize_t stream_write(void *file, const char *data, size_t length)
{
    size_t done = 0;
    while (done < length) {
        ssize_t taken = write((int)(intptr_t)file, data + done, length - done);
        if (taken < 0 && errno == EINTR) continue;
        if (taken <= 0) break;
        done += (size_t)taken;
    }
    return (ssize_t)done;
}

static FILE *stream_that_writes(int file, const char *mode)
{
    return stream_of(file, mode, stream_read, stream_write);
}

static int writes(const char *mode)
{
    return mode[0] == 'w' || mode[0] == 'a' || strchr(mode, '+') != NULL;
}

static FILE *open_stream(const char *path, const char *mode)
{
    int flags = strchr(mode, '+') ? O_RDWR : O_WRONLY;
    if (mode[0] == 'w') flags |= O_CREAT | O_TRUNC;
    if (mode[0] == 'a') flags |= O_CREAT | O_APPEND;
    if (strchr(mode, 'x')) flags |= O_EXCL;
    if (strchr(mode, 'e')) flags |= O_CLOEXEC;
    int file = open(path, flags, 0666);
    FILE *stream = file < 0 ? NULL : stream_that_writes(file, mode);
    if (file >= 0 && !stream) close(file);
    return stream;
}

FILE *fopen(const char *path, const char *mode)
{
    if (writes(mode) && watches_name(AT_FDCWD, path)) return open_stream(path, mode);
    return NEXT(fopen)(path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
    if (writes(mode) && watches_name(AT_FDCWD, path)) return open_stream(path, mode);
    return NEXT(fopen64)(path, mode);
}

FILE *fdopen(int file, const char *mode)
{
    if (writes(mode) && watches_file(file)) return stream_that_writes(file, mode);
    return NEXT(fdopen)(file, mode);
}
