import type { UnusableWeight } from '~/features/care/vitals/usable-weight'
import type { Birth } from '~/fields/birth'
import type { Message } from '~/shared/errors'
import { inEach, inWords, sayIn } from '~/shared/in-words'
import type { Language } from '~/shared/language'
import { clinicTimeZone, dayIn, daysBetween, monthsBetween } from '~/shared/zone'
import type { CheckedPatient, RuleText } from './rule'

/** Why a weight counts as not measured, as a sentence; its age is written in the language of the reader. */
export function unusableWeightMessage(
  { kg, why, isConfirmed, before, at }: UnusableWeight,
  birth: Birth | null,
  language: Language,
): Message {
  const day = dayIn(new Date(at), clinicTimeZone())
  const values = { kg: String(kg), day }
  if (why === 'impossible' || why === 'date')
    return { key: `safety.sentence.weight_${why}`, values }
  const end = isConfirmed ? '' : 'NotConfirmed'
  if (why === 'unconfirmed')
    return {
      key: `safety.sentence.weight_differs${end}`,
      values: { ...values, before: String(before) },
    }
  const age = birth && ageText(birth, day, language)
  return age === null
    ? { key: `safety.sentence.weight_implausible${end}`, values }
    : { key: `safety.sentence.weight_implausibleAge${end}`, values: { ...values, age } }
}

/** Which weight the dose of a child was compared with, if any, and why a newer one was not. */
export function weighText(
  drug: string,
  { unusableWeight, birth = null }: Partial<CheckedPatient> = {},
  weight?: { kg: number; day: string } | null,
): RuleText {
  const used = weight
    ? inWords('safety.sentence.weighed', { drug, kg: weight.kg, day: weight.day })
    : inWords('safety.sentence.notWeighed', { drug })
  if (!unusableWeight) return weight ? used : inWords('safety.sentence.noWeight', { drug })
  return inEach((language) => {
    const why = sayIn(language)(unusableWeightMessage(unusableWeight, birth, language))
    return `${why} ${used[language]}`
  })
}

const LOCALES = { en: 'en', ar: 'ar-u-nu-latn', es: 'es' } as const

/** The age on a day: "8 months". Null where the birth is too vague for it. */
function ageText({ day: born, precision }: Birth, on: string, language: Language): string | null {
  if (precision === 'year' || precision === 'age' || on < born) return null
  const [days, months] = [daysBetween(born, on), monthsBetween(born, on)]
  let [unit, count] = ['year', Math.floor(months / 12)]
  if (days < 60) [unit, count] = ['day', days]
  else if (months < 24) [unit, count] = ['month', months]
  return new Intl.NumberFormat(LOCALES[language], {
    style: 'unit',
    unit,
    unitDisplay: 'long',
  }).format(count)
}
