/** Ignores case, accents, vowel signs, punctuation and the variants of alef. */
export const plainWords = (text: string) =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[أإآٱ]/g, 'ا')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
