/* What decoding and multiplying prepare: books as floats, and the first index that names none of them. */
#include "vq.h"

#include <stdlib.h>

void *aligned(size_t bytes)
{
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

float *books_by_entry(const struct matrix *matrix)
{
    size_t book = (size_t)matrix->entries * matrix->vec_dim, values = matrix->stages * book;
    size_t slack = (size_t)SLACK * matrix->vec_dim;
    float *books = aligned((values + slack) * sizeof *books);
    if (!books)
        return NULL;
    for (size_t k = 0; k < values; k++)
        books[k] = half_value(matrix->books + 2 * k) + (k < book ? 0.0f : -0.0f);
    memset(books + values, 0, slack * sizeof *books);
    return books;
}

float *books_by_element(const struct matrix *matrix, unsigned width)
{
    size_t values = (size_t)matrix->stages * matrix->vec_dim * width;
    float *books = aligned(values * sizeof *books);
    if (!books)
        return NULL;
    memset(books, 0, values * sizeof *books);
    const uint8_t *half = matrix->books;
    for (unsigned stage = 0; stage < matrix->stages; stage++)
        for (unsigned entry = 0; entry < matrix->entries; entry++)
            for (unsigned d = 0; d < matrix->vec_dim; d++, half += 2)
                books[((size_t)stage * matrix->vec_dim + d) * width + entry] = half_value(half);
    return books;
}

/* Whether a byte is at or beyond `limit`; eight at once: no sum of 7 bits reaches into the next byte. */
static bool any_beyond(const uint8_t *bytes, size_t count, unsigned limit)
{
    const uint64_t ones = 0x0101010101010101u, tops = ones << 7;
    bool upper = limit > 128;
    uint64_t rise = ones * (upper ? 256 - limit : 128 - limit), found = 0;
    for (; count >= 8; bytes += 8, count -= 8) {
        uint64_t eight;
        memcpy(&eight, bytes, sizeof eight);
        uint64_t risen = (eight & ~tops) + rise;
        found |= upper ? risen & eight : risen | eight;
    }
    bool last = false;
    while (count--)
        last |= *bytes++ >= limit;
    return found & tops || last;
}

static bool first_in_rows(const struct matrix *matrix, size_t begin, size_t end, size_t found[4])
{
    size_t step = matrix->block * run_bytes(matrix);
    for (size_t row = begin; row < end; row++) {
        const uint8_t *run = row_of(matrix, row);
        for (size_t position = 0; position < matrix->positions; position++, run += step)
            for (unsigned stage = 0; stage < matrix->stages; stage++)
                if (run[stage] >= matrix->entries) {
                    found[0] = row, found[1] = position, found[2] = stage, found[3] = run[stage];
                    return true;
                }
    }
    return false;
}

int first_beyond(const struct matrix *matrix, size_t found[4])
{
    if (matrix->packed || matrix->entries > 255)
        return 0;
    size_t bytes = matrix->block * matrix->positions * run_bytes(matrix);
    for (size_t row = 0, rows; row < matrix->rows; row += rows) {
        size_t left = matrix->rows - row;
        rows = left < matrix->block ? left : matrix->block;
        /* what fills the last block may be anything: rows alone are judged */
        if (any_beyond(row_of(matrix, row), bytes, matrix->entries) && first_in_rows(matrix, row, row + rows, found))
            return 1;
    }
    return 0;
}
