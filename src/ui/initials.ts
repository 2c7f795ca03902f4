/** The first letter of each word, in capitals; a badge has room for three. */
export const initials = (name: string, most = 3) =>
  name
    .trim()
    .split(/\s+/u)
    .map((word) => Array.from(word)[0] ?? '')
    .slice(0, most)
    .join('')
    .toUpperCase()
