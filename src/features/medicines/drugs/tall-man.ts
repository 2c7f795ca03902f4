import list from './tall-man.json'

const sets = list.sets.map((names) =>
  names.map((name) => ({ tall: name, bare: name.toLowerCase() })),
)
const tallByBare = new Map(sets.flat().map(({ tall, bare }) => [bare, tall]))

/**
 * The name with its distinguishing letters in capitals (tall man lettering); other words stay as
 * they are.
 */
export const tallMan = (name: string) =>
  name.replaceAll(/\p{L}+/gu, (word) => tallByBare.get(word.toLowerCase()) ?? word)

const lowerCaseWords = (name: string) => name.toLowerCase().match(/\p{L}+/gu) ?? []

/** Names of the published list, tall, that this one has been mistaken for; empty for most. */
export function lookAlikes(name: string): string[] {
  const words = new Set(lowerCaseWords(name))
  const found = sets
    .filter((set) => set.some(({ bare }) => words.has(bare)))
    .flatMap((set) => set.filter(({ bare }) => !words.has(bare)))
  return [...new Set(found.map(({ tall }) => tall))]
}
