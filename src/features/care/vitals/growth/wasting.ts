import type { Sex } from '~/fields/sex'
import { type HeightPosition, weightForHeight } from '~/forms/weight-for-height'
import { smallest } from '~/shared/any-length'
import type { MessageKey } from '~/shared/language'

/** WHO and UNICEF (2009): severe acute malnutrition below -3; WHO (2006): wasting below -2. */
const SEVERE_Z = -3
const WASTED_Z = -2
const SOURCE =
  'WHO Child Growth Standards (2006); WHO and UNICEF, identification of severe acute malnutrition (2009)'

type Age = { days: number }
type Wasting = {
  level: 'abnormal' | 'critical'
  reason: { key: MessageKey }
  source: string
  age?: 'approximate'
}
type Measured = {
  weight_kg: number | null
  height_cm: number | null
  position: HeightPosition | null
}

/** Whether a child below five weighs too little for the height; nothing where age or sex are not recorded. */
export function assessWasting(
  { weight_kg, height_cm, position }: Measured,
  age: Age | readonly Age[] | null,
  sex: Sex | null,
): Wasting | undefined {
  if (!age || !sex || weight_kg === null || height_cm === null) return undefined
  const ages = 'days' in age ? [age] : age
  const found = ages.map(({ days }) => {
    const measured = weightForHeight({ weight_kg, height_cm, position, day: days }, sex)
    return measured && passedLimit(measured.z)
  })
  const limits = found.filter((limit) => limit !== undefined)
  if (limits.length === 0) return undefined
  const limit = smallest(limits)
  return {
    level: limit === SEVERE_Z ? 'critical' : 'abnormal',
    reason: { key: limit === SEVERE_Z ? 'vitals.reason.severeWasting' : 'vitals.reason.wasting' },
    source: SOURCE,
    ...(new Set(found).size > 1 && { age: 'approximate' }),
  }
}

function passedLimit(z: number) {
  // as WHO's own programs do, z-scores are compared with two decimals
  const rounded = Math.round(z * 100) / 100
  if (rounded < SEVERE_Z) return SEVERE_Z
  return rounded < WASTED_Z ? WASTED_Z : undefined
}
