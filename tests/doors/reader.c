/* An adapter in C that reads a file whole, by the call that `out` names, and refuses with what it got. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MOST = 1 << 16, PAGE = 4096 };

static ssize_t read_some(const char *how, int file, FILE *stream, char *data, off_t at)
{
    struct iovec parts[] = {{data, 100}, {data + 100, MOST - 100}};
    if (!strcmp(how, "stream")) {
        size_t got = fread(data, 1, MOST, stream);
        return got || !ferror(stream) ? (ssize_t)got : -1;
    }
    if (!strcmp(how, "read")) return read(file, data, MOST);
    if (!strcmp(how, "readv")) return readv(file, parts, 2);
    if (!strcmp(how, "preadv")) return preadv(file, parts, 2, at);
    return pread(file, data, MOST, at);
}

/* Bytes that were read, their sum in `sum`, `|` between the calls; or the error. */
static void read_whole(const char *path, const char *how, char *said)
{
    unsigned long sum = 0;
    off_t at = 0;
    int direct = !strcmp(how, "direct") ? O_DIRECT : 0;
    int file = strcmp(how, "stream") ? open(path, O_RDONLY | direct) : -1;
    FILE *stream = !strcmp(how, "stream") ? fopen(path, "r") : NULL;
    char *data = aligned_alloc(PAGE, MOST);
    memset(data, 7, MOST);
    *said = 0;
    for (ssize_t got = 1; got > 0; at += got) {
        got = file < 0 && !stream ? -1 : read_some(how, file, stream, data, at);
        if (got < 0 && errno == EINTR) {
            got = 0;
            said += sprintf(said, "again|");
            got = read_some(how, file, stream, data, at);
        }
        if (got < 0) {
            sprintf(said, "%s", strerror(errno));
            break;
        }
        for (ssize_t i = 0; i < got; ++i) sum += (unsigned char)data[i];
        for (ssize_t i = got; i < MOST; ++i) sum += data[i] == 7 ? 0 : 1000000;
        memset(data, 7, MOST);
        said += sprintf(said, "%zd|", got);
        if (!got) sprintf(said, "%lu", sum);
    }
    if (stream) fclose(stream);
    if (file >= 0) close(file);
    free(data);
}

int main(void)
{
    char line[1 << 16], said[1 << 12];
    while (fgets(line, sizeof line, stdin)) {
        char *id = strstr(line, "\"id\":") + 5, *out = strstr(line, "\"out\":"), *path = strstr(line, "\"path\":");
        id[strspn(id, " 0123456789")] = 0;
        if (!out) {
            printf("{\"id\": %s, \"answer\": {\"name\": \"reader\", \"version\": \"1\", \"language\": \"C\","
                   " \"protocol\": 1, \"verbs\": [\"container.rewrite\"]}}\n", id);
        } else {
            out = strchr(out + 6, '"') + 1;
            path = strchr(path + 7, '"') + 1;
            *strchr(out, '"') = *strchr(path, '"') = 0;
            read_whole(path, out, said);
            printf("{\"id\": %s, \"refused\": {\"kind\": \"io\", \"message\": \"\","
                   " \"names\": {\"reason\": \"%s\"}}}\n", id, said);
        }
        fflush(stdout);
    }
}
