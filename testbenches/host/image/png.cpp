// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/image/png.h"

#include <png.h>

#include <csetjmp>
#include <cstring>

namespace archipelago::host {
namespace {

// What libpng's callbacks reach. An error jumps out of libpng: functions that call it own nothing
// that has a destructor.
struct Stream {
    std::string* written = nullptr;
    std::string_view unread;
    char error[160] = {};
};

void fail(png_structp png, png_const_charp message) {
    auto* const stream = static_cast<Stream*>(png_get_error_ptr(png));
    std::strncpy(stream->error, message, sizeof stream->error - 1);
    longjmp(png_jmpbuf(png), 1);
}
void ignore_warning(png_structp, png_const_charp) {}

void append(png_structp png, png_bytep bytes, size_t count) {
    static_cast<Stream*>(png_get_io_ptr(png))
        ->written->append(reinterpret_cast<const char*>(bytes), count);
}
void flush_nothing(png_structp) {}

void take(png_structp png, png_bytep bytes, size_t count) {
    auto* const stream = static_cast<Stream*>(png_get_io_ptr(png));
    if (count > stream->unread.size())
        png_error(png, "the file is cut off");
    std::memcpy(bytes, stream->unread.data(), count);
    stream->unread.remove_prefix(count);
}

// The rows as the file has them: 16-bit samples with the high byte first.
void put_rows(const Image& image, std::vector<uint8_t>& bytes, std::vector<png_bytep>& rows) {
    const size_t row_bytes = image.row_samples() * image.bits / 8;
    bytes.resize(row_bytes * image.height);
    for (uint32_t y = 0; y < image.height; ++y)
        rows.push_back(bytes.data() + y * row_bytes);
}

constexpr int kColourTypes[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                PNG_COLOR_TYPE_RGB_ALPHA};

bool write_rows(png_structp png, png_infop info, const Image& image, png_bytepp rows) {
    if (setjmp(png_jmpbuf(png)) != 0)
        return false;
    png_set_IHDR(png, info, image.width, image.height, static_cast<int>(image.bits),
                 kColourTypes[image.channels - 1], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    png_write_image(png, rows);
    png_write_end(png, info);
    return true;
}

bool read_header(png_structp png, png_infop info, Image& image) {
    if (setjmp(png_jmpbuf(png)) != 0)
        return false;
    png_set_user_limits(png, kMaxPictureSide, kMaxPictureSide);
    png_read_info(png, info);
    png_set_expand(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    image.width = png_get_image_width(png, info);
    image.height = png_get_image_height(png, info);
    image.channels = png_get_channels(png, info);
    image.bits = png_get_bit_depth(png, info);
    return true;
}

bool read_rows(png_structp png, png_bytepp rows) {
    if (setjmp(png_jmpbuf(png)) != 0)
        return false;
    png_read_image(png, rows);
    png_read_end(png, nullptr);
    return true;
}

}  // namespace

std::string png_text(const Image& image) {
    std::vector<uint8_t> bytes;
    std::vector<png_bytep> rows;
    put_rows(image, bytes, rows);
    size_t at = 0;
    for (const uint16_t sample : image.samples) {
        if (image.bits == 16)
            bytes[at++] = static_cast<uint8_t>(sample >> 8);
        bytes[at++] = static_cast<uint8_t>(sample);
    }
    std::string text;
    Stream stream;
    stream.written = &text;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &stream, fail, ignore_warning);
    png_infop info = png_create_info_struct(png);
    png_set_write_fn(png, &stream, append, flush_nothing);
    const bool done = write_rows(png, info, image, rows.data());
    png_destroy_write_struct(&png, &info);
    if (!done)
        throw ImageError(stream.error);
    return text;
}

Image read_png(std::string_view text) {
    Stream stream;
    stream.unread = text;
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &stream, fail, ignore_warning);
    png_infop info = png_create_info_struct(png);
    png_set_read_fn(png, &stream, take);
    Image image;
    std::vector<uint8_t> bytes;
    std::vector<png_bytep> rows;
    bool done = read_header(png, info, image);
    const bool fits = uint64_t{image.width} * image.height <= kMaxPicturePixels;
    if (done && fits) {
        put_rows(image, bytes, rows);
        done = read_rows(png, rows.data());
    }
    png_destroy_read_struct(&png, &info, nullptr);
    if (!done)
        throw ImageError(stream.error);
    check_image_size(image.width, image.height);
    image.samples.resize(image.row_samples() * image.height);
    for (size_t i = 0; i < image.samples.size(); ++i)
        image.samples[i] = static_cast<uint16_t>(
            image.bits == 8 ? bytes[i] : bytes[2 * i] * 256 + bytes[2 * i + 1]);
    return image;
}

}  // namespace archipelago::host
