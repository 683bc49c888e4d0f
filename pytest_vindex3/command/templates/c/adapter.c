/* A reader of LYRW v2 layer files behind the pipe: one JSON object a line in, one a line out.
 *
 *   cc -O2 -o adapter adapter.c
 *   pytest --vindex3-impl="cmd:./adapter"
 *
 * It has one verb, lyrw.parse, and answers it completely. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT(words) (sizeof(words) / sizeof(*(words)))
typedef unsigned char byte;
typedef unsigned __int128 huge; /* a sum over declared counts passes 64 bits */

static const char *ROLES[] = {"gate", "up", "gate_up_fused", "down", "bias", "scales", "latent_in", "latent_out"};
static const char *FORMATS[] = {"f32",  "f16",       "bf16",  "q4_0",  "q4_k", "q6_k",
                                "q8_0", "fp4_larql", "mxfp4", "nvfp4", "mxfp8"};
static const char *PACKINGS[] = {"row_major", "blocks_with_scales_inline", "blocks_values", "blocks_scales"};
static const char *LAYOUTS[] = {"unspecified", "contiguous_halves", "interleaved"};
static const char *KINDS[] = {"dense", "routed", "shared"};
static const char *BROWSE[] = {"none", "direct", "strided", "none"};

static unsigned u16(const byte *at) { return at[0] | at[1] << 8; }
static uint32_t u32(const byte *at) { return u16(at) | (uint32_t)u16(at + 2) << 16; }

/* A known tag is shown by its word, an unknown one by its integer. */
static void tag(const char *key, const char **words, size_t known, unsigned value) {
    if (value < known) printf("\"%s\":\"%s\",", key, words[value]);
    else printf("\"%s\":%u,", key, value);
}

/* Print a refusal; always 1, so that a caller can return it. */
static int refuse(const char *kind, const char *names, ...) {
    va_list values;
    va_start(values, names);
    printf("\"refused\":{\"kind\":\"%s\",\"names\":{", kind);
    vprintf(names, values);
    printf("}}");
    va_end(values);
    return 1;
}

/* Refuse a table that begins at `start` and does not fit into the file. */
static int refuse_cut(const char *what, uint64_t start, unsigned record, uint64_t size) {
    uint64_t at = start + (size - start) / record * record;
    return refuse("truncated", "\"what\":\"%s\",\"at\":%llu,\"need\":%u,\"have\":%llu", what, (unsigned long long)at, record,
           (unsigned long long)(size - at));
}

/* 1 when a schema does not fit its bank, which is then refused. */
static int refuse_schema(const byte *bank, const byte *schema, unsigned position) {
    unsigned id = u16(bank), index = u16(schema), role = u16(schema + 2), packing = u16(schema + 6);
    unsigned pair = u16(schema + 8), layout = u16(schema + 10);
    if (packing < COUNT(PACKINGS) && (packing >= 2) == (pair == 0xFFFF))
        return refuse("inconsistent-pairing", "\"bank_id\":%u,\"schema_index\":%u,\"packing\":\"%s\",\"pair_id\":%u",
                      id, position, PACKINGS[packing], pair);
    if (role < COUNT(ROLES) && role != 2 && layout > 0 && layout < COUNT(LAYOUTS))
        return refuse("layout-on-non-fused", "\"bank_id\":%u,\"schema_index\":%u,\"role\":\"%s\",\"layout\":\"%s\"",
                      id, position, ROLES[role], LAYOUTS[layout]);
    if (index != position)
        return refuse("schema-index-mismatch", "\"bank_id\":%u,\"expected\":%u,\"found\":%u", id, position, index);
    return 0;
}

/* The first bank that carries the id, or NULL. */
static const byte *bank_of(const byte *banks, unsigned count, unsigned id) {
    for (unsigned b = 0; b < count; b++)
        if (u16(banks + 24 * b) == id) return banks + 24 * b;
    return NULL;
}

static int refuse_segment(const byte *bank, const byte *segment) {
    uint64_t first = u32(segment + 4), end = first + u32(segment + 8);
    if (!bank)
        return refuse("unknown-bank", "\"segment_index\":%u,\"bank_id\":%u", u16(segment + 2), u16(segment));
    if (end > u32(bank + 8))
        return refuse("segment-out-of-bounds",
                      "\"bank_id\":%u,\"segment_index\":%u,\"first_entry\":%llu,\"end_entry\":%llu,\"num_entries\":%u",
                      u16(segment), u16(segment + 2), (unsigned long long)first, (unsigned long long)end,
                      u32(bank + 8));
    return 0;
}

static const char *separator;
static void unknown(const char *where, const char *field, unsigned value) {
    printf("%s{\"where\":\"%s\",\"field\":\"%s\",\"value\":%u}", separator, where, field, value);
    separator = ",";
}

static void print_huge(huge value) {
    if (value > 9) print_huge(value / 10);
    putchar('0' + (int)(value % 10));
}

/* Read `length` bytes at `at` behind those in `*tables`; the caller has compared the size. */
static void take(int file, byte **tables, uint64_t at, uint64_t length) {
    *tables = realloc(*tables, at + length + 1);
    if (!*tables || pread(file, *tables + at, length, (off_t)at) != (ssize_t)length) exit(1);
}

static void print_banks(const byte *banks, unsigned count, const byte *schema) {
    for (unsigned b = 0; b < count; b++) {
        const byte *bank = banks + 24 * b;
        printf("%s{\"bank_id\":%u,", b ? "," : "", u16(bank));
        tag("kind", KINDS, COUNT(KINDS), u16(bank + 2));
        printf("\"browse\":\"%s\",\"flags\":%u,\"num_entries\":%u,\"input_dim\":%u,\"intermediate_dim\":%u,"
               "\"output_dim\":%u,\"schemas\":[", BROWSE[u16(bank + 6) & 3], u16(bank + 6), u32(bank + 8), u32(bank + 12),
               u32(bank + 16), u32(bank + 20));
        for (unsigned s = 0; s < u16(bank + 4); s++, schema += 20) {
            printf("%s{\"schema_index\":%u,", s ? "," : "", u16(schema));
            tag("role", ROLES, COUNT(ROLES), u16(schema + 2));
            tag("format", FORMATS, COUNT(FORMATS), u16(schema + 4));
            tag("packing", PACKINGS, COUNT(PACKINGS), u16(schema + 6));
            tag("layout", LAYOUTS, COUNT(LAYOUTS), u16(schema + 10));
            if (u16(schema + 8) == 0xFFFF) printf("\"pair_id\":null,");
            else printf("\"pair_id\":%u,", u16(schema + 8));
            printf("\"rows\":%u,\"cols\":%u}", u32(schema + 12), u32(schema + 16));
        }
        printf("]}");
    }
}

static void print_unknown(const byte *header, const byte *banks, unsigned count, const byte *schema) {
    char where[64];
    separator = "";
    if (u32(header + 16) & ~1u) unknown("header", "flags", u32(header + 16) & ~1u);
    for (unsigned b = 0; b < count; b++) {
        const byte *bank = banks + 24 * b;
        snprintf(where, sizeof where, "banks[%u]", b);
        if (u16(bank + 2) >= COUNT(KINDS)) unknown(where, "kind", u16(bank + 2));
        if ((u16(bank + 6) & 3) == 3) unknown(where, "browse", 3);
        if (u16(bank + 6) & ~3u) unknown(where, "flags", u16(bank + 6) & ~3u);
        for (unsigned s = 0; s < u16(bank + 4); s++, schema += 20) {
            snprintf(where, sizeof where, "banks[%u].schemas[%u]", b, s);
            if (u16(schema + 2) >= COUNT(ROLES)) unknown(where, "role", u16(schema + 2));
            if (u16(schema + 4) >= COUNT(FORMATS)) unknown(where, "format", u16(schema + 4));
            if (u16(schema + 6) >= COUNT(PACKINGS)) unknown(where, "packing", u16(schema + 6));
            if (u16(schema + 10) >= COUNT(LAYOUTS)) unknown(where, "layout", u16(schema + 10));
        }
    }
}

/* Answer lyrw.parse for an open file: the checks in reading order, then the description; 1 when refused. */
static int parse(int file, uint64_t size, byte **tables) {
    if (size < 24) return refuse_cut("header", 0, 24, size);
    take(file, tables, 0, 24);
    const byte *header = *tables;
    if (memcmp(header, "LYRW", 4))
        return refuse("bad-magic", "\"found\":\"%02X%02X%02X%02X\",\"expected\":\"4C595257\"", header[0], header[1],
                      header[2], header[3]);
    if (u32(header + 4) != 2)
        return refuse("wrong-generation", "\"found\":%u,\"required\":2%s", u32(header + 4),
                      u32(header + 4) == 1 ? ",\"generation\":\"VINDEX2\"" : "");
    unsigned num_banks = u16(header + 12), num_segments = u16(header + 14);
    uint64_t segments_at = 24 + 24 * (uint64_t)num_banks, schemas_at = segments_at + 12 * (uint64_t)num_segments;
    if (segments_at > size) return refuse_cut("bank descriptor table", 24, 24, size);
    if (schemas_at > size) return refuse_cut("segment descriptor table", segments_at, 12, size);
    take(file, tables, 24, schemas_at - 24);
    uint64_t num_schemas = 0;
    for (unsigned b = 0; b < num_banks; b++) num_schemas += u16(*tables + 24 + 24 * b + 4);
    if (num_schemas * 20 > size - schemas_at) return refuse_cut("region schema table", schemas_at, 20, size);
    take(file, tables, schemas_at, 20 * num_schemas);

    const byte *banks = *tables + 24, *segments = *tables + segments_at, *schemas = *tables + schemas_at;
    const byte *schema = schemas;
    header = *tables;
    for (unsigned b = 0; b < num_banks; b++)
        for (unsigned s = 0; s < u16(banks + 24 * b + 4); s++, schema += 20)
            if (refuse_schema(banks + 24 * b, schema, s)) return 1;
    huge rows = 0;
    for (unsigned g = 0; g < num_segments; g++) {
        const byte *bank = bank_of(banks, num_banks, u16(segments + 12 * g));
        if (refuse_segment(bank, segments + 12 * g)) return 1;
        rows += (huge)u32(segments + 12 * g + 8) * u16(bank + 4);
    }

    huge table_bytes = schemas_at + 20 * num_schemas + 16 * rows;
    printf("\"answer\":{\"header\":{\"logical_layer\":%u,\"flags\":%u},\"banks\":[", u32(header + 8), u32(header + 16));
    print_banks(banks, num_banks, schemas);
    printf("],\"segments\":[");
    for (unsigned g = 0; g < num_segments; g++)
        printf("%s{\"bank_id\":%u,\"segment_index\":%u,\"first_entry\":%u,\"entry_count\":%u}", g ? "," : "",
               u16(segments + 12 * g), u16(segments + 12 * g + 2), u32(segments + 12 * g + 4), u32(segments + 12 * g + 8));
    printf("],\"unknown\":[");
    print_unknown(header, banks, num_banks, schemas);
    printf("],\"table_bytes\":");
    print_huge(table_bytes);
    printf(",\"payload_start\":");
    print_huge((table_bytes + 63) / 64 * 64);
    printf("}");
    return 0;
}

/* The JSON string behind `"key":` as it is written, quotes included; NULL where there is none. */
static char *raw_string(const char *line, const char *key) {
    char pattern[32];
    snprintf(pattern, sizeof pattern, "\"%s\":", key);
    const char *from = strstr(line, pattern);
    if (!from) return NULL;
    from += strlen(pattern);
    from += strspn(from, " ");
    const char *to = from + 1;
    while (*to && *to != '"') to += *to == '\\' && to[1] ? 2 : 1;
    return strndup(from, (size_t)(to - from) + 1);
}

/* The code unit behind `\\u`. */
static unsigned unit(const char *from) {
    char digits[5] = {0};
    strncpy(digits, from, 4);
    return (unsigned)strtoul(digits, NULL, 16);
}

/* Write a code point as UTF-8; DC80 to DCFF alone stand for bytes of a file name that is no UTF-8. */
static char *utf8(char *to, unsigned code) {
    if (code < 0x80 || (code >= 0xDC80 && code <= 0xDCFF)) *to++ = (char)code;
    else if (code < 0x800) *to++ = (char)(0xC0 | code >> 6), *to++ = (char)(0x80 | (code & 63));
    else {
        if (code < 0x10000) *to++ = (char)(0xE0 | code >> 12);
        else *to++ = (char)(0xF0 | code >> 18), *to++ = (char)(0x80 | (code >> 12 & 63));
        *to++ = (char)(0x80 | (code >> 6 & 63)), *to++ = (char)(0x80 | (code & 63));
    }
    return to;
}

/* What a JSON string says, without its quotes and escapes. */
static char *text_of(const char *raw) {
    char *text = strdup(raw), *to = text;
    for (const char *from = raw + 1; *from && *from != '"'; from++) {
        if (*from != '\\') *to++ = *from;
        else if (*++from != 'u') *to++ = *from == 'n' ? '\n' : *from == 't' ? '\t' : *from == 'r' ? '\r' : *from;
        else {
            unsigned code = unit(from + 1);
            from += 4;
            if (code >= 0xD800 && code < 0xDC00 && from[1] == '\\') {
                code = 0x10000 + ((code - 0xD800) << 10) + (unit(from + 3) - 0xDC00);
                from += 6;
            }
            to = utf8(to, code);
        }
    }
    *to = 0;
    return text;
}

static void answer(const char *line) {
    char *raw = raw_string(line, "path"), *path = raw ? text_of(raw) : NULL;
    struct stat status;
    int file = path ? open(path, O_RDONLY | O_NONBLOCK) : -1;
    byte *tables = NULL;
    if (file < 0 || fstat(file, &status) || !S_ISREG(status.st_mode))
        refuse("missing-file", "\"path\":%s", raw ? raw : "null");
    else parse(file, (uint64_t)status.st_size, &tables);
    if (file >= 0) close(file);
    free(tables);
    free(path);
    free(raw);
}

int main(void) {
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, stdin) > 0) {
        const char *id = strstr(line, "\"id\":");
        char *verb = raw_string(line, "verb");
        printf("{\"id\":%lld,", id ? strtoll(id + 5, NULL, 10) : 0);
        if (verb && !strcmp(verb, "\"describe\""))
            printf("\"answer\":{\"name\":\"adapter.c\",\"version\":\"1\",\"language\":\"C\",\"protocol\":1,"
                   "\"verbs\":[\"lyrw.parse\"],\"options\":{}}");
        else answer(line);
        printf("}\n");
        fflush(stdout);
        free(verb);
    }
    free(line);
    return 0;
}
