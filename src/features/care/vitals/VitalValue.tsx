import { Group, Text, Tooltip, VisuallyHidden } from '@mantine/core'
import { IconAlertTriangle, IconExclamationCircle, IconHelpCircle } from '@tabler/icons-react'
import { useFormatter } from 'use-intl'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import type { Mark } from './marks'
import type { Measure } from './vital'

/** The unit that a stored value is shown in; null where a number says it all. */
export const UNIT_OF: Record<Measure, MessageKey | null> = {
  systolic_bp: 'vitals.unitMmHg',
  diastolic_bp: 'vitals.unitMmHg',
  heart_rate: 'vitals.unitPerMinute',
  pulse_rate: 'vitals.unitPerMinute',
  respiratory_rate: 'vitals.unitPerMinute',
  oxygen_saturation: 'vitals.unitPercent',
  temperature_celsius: 'vitals.unitC',
  weight_kg: 'vitals.unitKg',
  height_cm: 'vitals.unitCm',
  waist_circumference_cm: 'vitals.unitCm',
  head_circumference_cm: 'vitals.unitCm',
  arm_circumference_cm: 'vitals.unitCm',
  bmi: 'vitals.unitBmi',
  pain_level: null,
  creatinine_umol_l: 'vitals.unitMicromol',
}

/** Each is at least 4.5:1 on its ground, as StatusBadge's are. */
const colors = {
  abnormal: 'light-dark(#7a4a00, #f6cf8b)',
  critical: 'light-dark(#94180d, #ffb4ab)',
  impossible: 'light-dark(#33414c, #dde3e8)',
} as const
const icons = {
  abnormal: IconAlertTriangle,
  critical: IconExclamationCircle,
  impossible: IconHelpCircle,
}

/** A number as people read it: one decimal at most, but grams for the weight of a newborn (3.45 kg is not 3.5 kg). */
export function useReading() {
  const format = useFormatter()
  return (value: number) =>
    format.number(value, { maximumFractionDigits: Math.abs(value) < 10 ? 3 : 1 })
}

/** "Critical: high blood pressure in pregnancy. Test the urine for protein". */
export function useMarkText() {
  const say = useSay()
  return ({ level, reason, age, doubt }: Mark) => {
    const text = `${say(`vitals.${level}`)}: ${say(reason)}${age ? ` (${say(`vitals.age_${age}`)})` : ''}`
    return doubt ? `${text}. ${say('vitals.impossible')}: ${say(doubt)}` : text
  }
}

type Props = {
  values: readonly (number | null)[]
  marks?: readonly (Mark | null | undefined)[]
  unit?: MessageKey | null
  size?: string
}

/** One value, or two as in 120/80, with its unit; what is out of the ordinary has a sign, and says why. */
export function VitalValue({ values, marks = [], unit, size = 'sm' }: Props) {
  const say = useSay()
  const read = useReading()
  const whyOf = useMarkText()
  const found = marks.filter((mark) => mark !== null && mark !== undefined)
  const worst = found.find(({ level }) => level !== 'abnormal') ?? found[0]
  const text = (
    <Text span size={size} fw={worst ? 600 : undefined} style={{ whiteSpace: 'nowrap' }}>
      <bdi dir="ltr">{values.map((value) => (value === null ? '–' : read(value))).join('/')}</bdi>
      {unit && (
        <Text span size="xs" c="dimmed">
          {' '}
          {say(unit)}
        </Text>
      )}
    </Text>
  )
  if (!worst) return text
  const Icon = icons[worst.level]
  const why = found.map(whyOf).join('. ')
  const sources = [...new Set(found.flatMap(({ source }) => source ?? []))]
  const cited = say({ key: 'vitals.source', values: { source: sources.join('; ') } })
  return (
    <Tooltip
      multiline
      maw={320}
      events={{ hover: true, focus: true, touch: true }}
      label={sources.length > 0 ? `${why} · ${cited}` : why}
    >
      <Group
        component="span"
        gap={4}
        wrap="nowrap"
        display="inline-flex"
        tabIndex={0}
        c={colors[worst.level]}
        data-mark={worst.level}
      >
        <Icon size={16} aria-hidden style={{ flexShrink: 0 }} />
        {text}
        <VisuallyHidden component="span">{` (${why})`}</VisuallyHidden>
      </Group>
    </Tooltip>
  )
}
