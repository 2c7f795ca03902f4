import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium'
import sharp from 'sharp'

/** In points from the top left corner of the page. */
export type Box = { left: number; top: number; right: number; bottom: number }
type Word = { text: string; box: Box; isVisible: boolean }
export type PaperPage = { width: number; height: number; words: Word[]; png: () => Promise<Buffer> }

/** Pixels for each point: the strokes of 8 pt text are about one pixel wide. */
const SCALE = 1
/** Smallest difference between the lightest and darkest pixel of a word, of 255. */
const INK = 60
const BGRA = 4
const RENDER_ANNOTATIONS = 1
const BREAK = /[\s\p{C}]/u

let pdfium: WrappedPdfiumModule | undefined
async function openPdfium() {
  const path = createRequire(import.meta.url).resolve('@embedpdf/pdfium/pdfium.wasm')
  const { buffer } = new Uint8Array(readFileSync(path))
  const started = await init({ wasmBinary: buffer })
  started.PDFiumExt_Init()
  return started
}

/**
 * The pages of a PDF as a reader sees them: each word with its place, and whether its ink is in the picture. A word
 * below a white ground, or outside of what a box shows, is in the text of the file alone.
 */
export async function readPaper(pdf: Buffer): Promise<PaperPage[]> {
  pdfium ??= await openPdfium()
  const memory = memoryOf(pdfium)
  const at = memory._malloc(pdf.length)
  pdfium.pdfium.HEAPU8.set(pdf, at)
  const file = pdfium.FPDF_LoadMemDocument(at, pdf.length, '')
  const count = pdfium.FPDF_GetPageCount(file)
  const pages = Array.from({ length: count }, (_, page) => readPage(pdfium!, file, page))
  pdfium.FPDF_CloseDocument(file)
  memory._free(at)
  return pages
}

function readPage(pdf: WrappedPdfiumModule, file: number, number: number): PaperPage {
  const page = pdf.FPDF_LoadPage(file, number)
  const [width, height] = [pdf.FPDF_GetPageWidthF(page), pdf.FPDF_GetPageHeightF(page)]
  const [columns, lines] = [Math.ceil(width * SCALE), Math.ceil(height * SCALE)]
  const bitmap = pdf.FPDFBitmap_Create(columns, lines, 0)
  pdf.FPDFBitmap_FillRect(bitmap, 0, 0, columns, lines, 0xff_ff_ff_ff)
  pdf.FPDF_RenderPageBitmap(bitmap, page, 0, 0, columns, lines, 0, RENDER_ANNOTATIONS)
  const start = pdf.FPDFBitmap_GetBuffer(bitmap)
  const stride = pdf.FPDFBitmap_GetStride(bitmap)
  const pixels = Buffer.from(pdf.pdfium.HEAPU8.slice(start, start + stride * lines))
  pdf.FPDFBitmap_Destroy(bitmap)
  const words = wordsOf(pdf, page, height).map((word) => ({
    ...word,
    isVisible: hasInk(pixels, stride, columns, lines, word.box),
  }))
  pdf.FPDF_ClosePage(page)
  const png = () => {
    for (let pixel = 0; pixel < pixels.length; pixel += BGRA)
      [pixels[pixel], pixels[pixel + 2]] = [pixels[pixel + 2]!, pixels[pixel]!]
    return sharp(pixels, { raw: { width: columns, height: lines, channels: BGRA } })
      .png()
      .toBuffer()
  }
  return { width, height, words, png }
}

const memoryOf = (pdf: WrappedPdfiumModule) =>
  pdf.pdfium as unknown as { _malloc: (size: number) => number; _free: (at: number) => void }

type Letter = { text: string; box: Box; baseline: number }

/** Points between two letters of a word at most; a space is wider. */
const MOST_BETWEEN = 0.8

/**
 * The words of a page by where their letters are: letters beside one another on a baseline. Their order in the file
 * differs in text of both directions, so a word of Arabic letters is spelled from its end.
 */
function wordsOf(pdf: WrappedPdfiumModule, page: number, height: number) {
  const lines = Map.groupBy(lettersOf(pdf, page, height), ({ baseline }) => Math.round(baseline))
  return [...lines.values()].flatMap((letters) => {
    const words: { text: string; box: Box }[] = []
    for (const { text, box } of letters.toSorted((a, b) => a.box.left - b.box.left)) {
      const last = words.at(-1)
      if (last && box.left - last.box.right <= MOST_BETWEEN) {
        last.text += text
        last.box = around(last.box, box)
      } else words.push({ text, box })
    }
    return words
  })
}

/** With their advance as width, so that narrow letters leave no gap. */
function lettersOf(pdf: WrappedPdfiumModule, page: number, height: number): Letter[] {
  const text = pdf.FPDFText_LoadPage(page)
  const memory = memoryOf(pdf)
  const at = memory._malloc(48)
  const read = (from: number, count: number) =>
    new Float64Array(pdf.pdfium.HEAPU8.slice(from, from + count * 8).buffer)
  const letters = Array.from({ length: pdf.FPDFText_CountChars(text) }, (_, index) => {
    const letter = String.fromCodePoint(pdf.FPDFText_GetUnicode(text, index) || 0x20)
    // spaces and line breaks that PDFium guesses are not in the file
    if (BREAK.test(letter) || pdf.FPDFText_IsGenerated(text, index) === 1) return []
    pdf.FPDFText_GetCharBox(text, index, at, at + 8, at + 16, at + 24)
    pdf.FPDFText_GetCharOrigin(text, index, at + 32, at + 40)
    const [, , bottom = 0, top = 0, , y = 0] = read(at, 6)
    pdf.FPDFText_GetLooseCharBox(text, index, at)
    const [left = 0, , right = 0] = new Float32Array(pdf.pdfium.HEAPU8.slice(at, at + 16).buffer)
    const box = { left, right, top: height - top, bottom: height - bottom }
    return [{ text: letter, box, baseline: y }]
  }).flat()
  memory._free(at)
  pdf.FPDFText_ClosePage(text)
  return letters
}

const around = (one: Box, other: Box): Box => ({
  left: Math.min(one.left, other.left),
  right: Math.max(one.right, other.right),
  top: Math.min(one.top, other.top),
  bottom: Math.max(one.bottom, other.bottom),
})

function hasInk(pixels: Buffer, stride: number, columns: number, lines: number, box: Box) {
  let [lightest, darkest] = [0, 255]
  const within = (value: number, most: number) =>
    Math.min(Math.max(Math.round(value * SCALE), 0), most)
  for (let line = within(box.top, lines - 1); line <= within(box.bottom, lines - 1); line++)
    for (
      let column = within(box.left, columns - 1);
      column <= within(box.right, columns - 1);
      column++
    ) {
      const pixel = line * stride + column * BGRA
      const light = Math.min(pixels[pixel]!, pixels[pixel + 1]!, pixels[pixel + 2]!)
      lightest = Math.max(lightest, light)
      darkest = Math.min(darkest, light)
    }
  return lightest - darkest >= INK
}
