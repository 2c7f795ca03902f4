import { readDay, readMonth } from '~/fields/day'
import { latestDay } from '~/fields/birth'
import { latinDigits } from '~/fields/typed'

/** "17 de mayo de 1990" has five words. */
const LONGEST_DATE = 5
/** As many words of a search count. */
const MOST_WORDS = 12

/**
 * The births that a search may mean, days (`yyyy-MM-dd`) or months (`yyyy-MM`), and the words beside them; null if the
 * text holds none. Where a date can be read in two ways (12/3/1985), both count.
 */
export function birthsIn(typed: string): { births: string[]; name: string } | null {
  const words = latinDigits(typed).trim().split(/\s+/).slice(0, MOST_WORDS)
  for (let length = Math.min(LONGEST_DATE, words.length); length > 0; length -= 1) {
    for (let from = 0; from + length <= words.length; from += 1) {
      const births = parseBirthDays(words.slice(from, from + length).join(' '))
      if (births.length > 0)
        return { births, name: [...words.slice(0, from), ...words.slice(from + length)].join(' ') }
    }
  }
  return null
}

function parseBirthDays(text: string): string[] {
  const [, dayAndMonth, year] = /^(\d{1,2}[-/.]\d{1,2}[-/.])(\d{2})$/.exec(text) ?? []
  const texts = year ? [`${dayAndMonth}19${year}`, `${dayAndMonth}20${year}`] : [text]
  const days = texts.flatMap((one) => {
    const read = readDay(one)
    if (!read) return []
    return 'day' in read ? [read.day] : read.either
  })
  // a month needs four digits for its year: 12/27 is no birth
  const month =
    days.length === 0 && /\d{4}/.test(text) && !/^\d+$/.test(text) ? readMonth(text) : null
  return [...days, ...(month ? [month] : [])].filter(
    (birth) => birth >= '1900' && birth <= latestDay(),
  )
}
