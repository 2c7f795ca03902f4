import { cleanLine } from '~/shared/typed-text'
import type { Option } from './field'

const plain = (text: string) => cleanLine(text.normalize('NFKC')).toLowerCase()

/** The option that an answer means: by its value, or as another language, another case or an older form wrote it. */
export function findOption(options: readonly Option[], value: unknown): Option | undefined {
  if (typeof value !== 'string') return undefined
  const exact = options.find((option) => option.value === value)
  if (exact) return exact
  const wanted = plain(value)
  return options.find((option) =>
    [option.value, ...(option.aliases ?? [])].some((text) => plain(text) === wanted),
  )
}

/** As one key types it: without accents, vowel signs and the hamza of an alef. */
const typedKey = (text: string) =>
  [...text.normalize('NFD').replace(/\p{M}|^\s+/gu, '')][0]?.toLowerCase() ?? ''

/**
 * The option that one key stands for: the first letter of what is shown, else of the answer in
 * another language, else its number. Where several begin alike, the next one after `current`.
 */
export function optionByKey(
  options: readonly { value: string; shown: string; aliases?: readonly string[] }[],
  key: string,
  current: unknown,
): string | undefined {
  if ([...key].length !== 1 || key === ' ') return undefined
  const wanted = typedKey(key)
  const shown = options.filter((option) => typedKey(option.shown) === wanted)
  const other = options.filter(({ value, aliases = [] }) =>
    [value, ...aliases].some((text) => typedKey(text) === wanted),
  )
  const found = shown.length > 0 ? shown : other
  if (found.length === 0) return /^[1-9]$/.test(key) ? options[Number(key) - 1]?.value : undefined
  return found[(found.findIndex(({ value }) => value === current) + 1) % found.length]?.value
}
