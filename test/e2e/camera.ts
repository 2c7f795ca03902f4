import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer'

const [WIDTH, HEIGHT, FRAMES_PER_SECOND] = [640, 480, 5]
const [BLACK, WHITE, NO_COLOUR] = [16, 235, 128]

const wasm = createRequire(import.meta.url).resolve('zxing-wasm/writer/zxing_writer.wasm')
prepareZXingModule({ overrides: { wasmBinary: Uint8Array.from(readFileSync(wasm)).buffer } })

/**
 * What Chromium must be started with to take the film in `file` for what its camera sees, and to
 * answer for its user whether a page may see it.
 */
export const filmInsteadOfCamera = (file: string, answer: 'allow' | 'deny') => [
  '--use-fake-device-for-media-stream',
  `--use-fake-ui-for-media-stream${answer === 'deny' ? '=deny' : ''}`,
  `--use-file-for-fake-video-capture=${file}`,
]

/**
 * A film of one frame (YUV4MPEG2, 4:2:0) with a package's code held in front of the camera. The
 * browser reads it anew for each scan.
 */
export async function film(
  file: string,
  format: 'DataMatrix' | 'EAN-13',
  text: string,
  options = '',
) {
  const { error, symbol } = await writeBarcode(text, { format, options })
  if (error) throw new Error(error)
  const { data, width, height } = symbol
  const dot = Math.floor(Math.min(WIDTH / (width + 8), HEIGHT / (height + 8)))
  const [left, top] = [(WIDTH - width * dot) >> 1, (HEIGHT - height * dot) >> 1]
  const light = Buffer.alloc(WIDTH * HEIGHT, WHITE)
  for (let at = 0; at < width * height * dot * dot; at += 1) {
    const [x, y] = [at % (width * dot), Math.floor(at / (width * dot))]
    const isBlack = data[Math.floor(y / dot) * width + Math.floor(x / dot)] === 0
    if (isBlack) light[(top + y) * WIDTH + left + x] = BLACK
  }
  const head = `YUV4MPEG2 W${WIDTH} H${HEIGHT} F${FRAMES_PER_SECOND}:1 Ip A1:1 C420jpeg\nFRAME\n`
  writeFileSync(
    file,
    Buffer.concat([Buffer.from(head), light, Buffer.alloc((WIDTH * HEIGHT) / 2, NO_COLOUR)]),
  )
}
