import type { UnusableWeight } from '~/features/care/vitals/usable-weight'
import type { Birth } from '~/fields/birth'
import type { Language } from '~/shared/language'
import { clinicTimeZone, dayIn, daysBetween, monthsBetween } from '~/shared/zone'
import type { Words } from './rule'

/** Why a weight counts as not measured, as a sentence. */
export function unusableWeightWords(unusable: UnusableWeight, birth: Birth | null): Words {
  const { kg, why, isConfirmed, before } = unusable
  const day = dayIn(new Date(unusable.at), clinicTimeZone())
  const age = birth && ageWords(birth, day)
  const start: Words = {
    en: `The weight of ${kg} kg of ${day}`,
    ar: `الوزن ${kg} كغ بتاريخ ${day}`,
    es: `El peso de ${kg} kg del ${day}`,
  }
  const said = {
    impossible: { en: 'is impossible', ar: 'مستحيل', es: 'es imposible' },
    implausible: {
      en: `is implausible for ${age?.en ?? 'this age'}`,
      ar: age ? `غير معقول (العمر: ${age.ar})` : 'غير معقول لهذا العمر',
      es: `no es verosímil para ${age?.es ?? 'esta edad'}`,
    },
    date: {
      en: 'has a date before the birth or in the future',
      ar: 'تاريخه قبل الولادة أو في المستقبل',
      es: 'tiene una fecha anterior al nacimiento o futura',
    },
    unconfirmed: {
      en: `differs by more than 10% from ${before} kg`,
      ar: `يختلف بأكثر من 10% عن ${before} كغ`,
      es: `difiere más del 10 % de ${before} kg`,
    },
  }[why]
  const end: Words =
    isConfirmed || why === 'impossible' || why === 'date'
      ? { en: '', ar: '', es: '' }
      : { en: ' and was not confirmed', ar: ' ولم يُؤكَّد', es: ' y no se confirmó' }
  return {
    en: `${start.en} ${said.en}${end.en}.`,
    ar: `${start.ar} ${said.ar}${end.ar}.`,
    es: `${start.es} ${said.es}${end.es}.`,
  }
}

const LOCALES = { en: 'en', ar: 'ar-u-nu-latn', es: 'es' } as const

/** The age on a day: "8 months". Null where the birth is too vague for it. */
function ageWords({ day: born, precision }: Birth, on: string): Words | null {
  if (precision === 'year' || precision === 'age' || on < born) return null
  const [days, months] = [daysBetween(born, on), monthsBetween(born, on)]
  const [unit, count]: [string, number] =
    days < 60 ? ['day', days] : months < 24 ? ['month', months] : ['year', Math.floor(months / 12)]
  const inLanguage = (language: Language) =>
    new Intl.NumberFormat(LOCALES[language], {
      style: 'unit',
      unit,
      unitDisplay: 'long',
    }).format(count)
  return { en: inLanguage('en'), ar: inLanguage('ar'), es: inLanguage('es') }
}
