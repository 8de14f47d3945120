#!/usr/bin/env bash
# usage: samples/ocr/render_text.sh <text> <picture.pgm>
# Draws one line of black text on white, 48 pixels high, with FreeType and DejaVu Sans at 32 pixels; 320 pixels wide or as
# wide as the text needs. Made the pictures of this folder. Needs cc, libfreetype-dev and fonts-dejavu-core.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/render.c" <<'SOURCE'
#include <ft2build.h>
#include FT_FREETYPE_H
#include <stdio.h>
#include <string.h>

enum { kHeight = 48, kWidest = 4096, kBaseline = 35, kMargin = 8 };
static unsigned char page[kHeight][kWidest];

int main(int argc, char** argv) {
    FT_Library library;
    FT_Face face;
    if (argc != 3 || FT_Init_FreeType(&library) || FT_New_Face(library, argv[2], 0, &face)) return 1;
    FT_Set_Pixel_Sizes(face, 0, 32);
    memset(page, 255, sizeof page);
    int pen = kMargin;
    for (const char* c = argv[1]; *c; ++c) {
        if (FT_Load_Char(face, (unsigned char)*c, FT_LOAD_RENDER)) return 1;
        const FT_GlyphSlot glyph = face->glyph;
        for (unsigned row = 0; row < glyph->bitmap.rows; ++row) {
            for (unsigned column = 0; column < glyph->bitmap.width; ++column) {
                const int y = kBaseline - glyph->bitmap_top + (int)row, x = pen + glyph->bitmap_left + (int)column;
                if (y < 0 || y >= kHeight || x < 0 || x >= kWidest) continue;
                page[y][x] -= glyph->bitmap.buffer[(int)row * glyph->bitmap.pitch + (int)column];
            }
        }
        pen += (int)(glyph->advance.x >> 6);
    }
    const int width = pen + kMargin < 320 ? 320 : pen + kMargin;
    printf("P5\n%d %d\n255\n", width, kHeight);
    for (int y = 0; y < kHeight; ++y) fwrite(page[y], 1, (size_t)width, stdout);
    return 0;
}
SOURCE
cc -O1 "$work/render.c" -I/usr/include/freetype2 -lfreetype -o "$work/render"
"$work/render" "$1" /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf >"$2"
