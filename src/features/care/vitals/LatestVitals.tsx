import { Group, Paper, SimpleGrid, Text, VisuallyHidden } from '@mantine/core'
import { IconArrowDownRight, IconArrowUpRight, IconEqual } from '@tabler/icons-react'
import { useSay } from '~/shared/say'
import { EnteredLater } from '~/ui/EnteredLater'
import { Moment } from '~/ui/Moment'
import type { MessageKey } from '~/shared/language'
import type { Measure } from './vital'
import { UNIT_OF, useMarkText, useReading, VitalValue } from './VitalValue'
import type { LatestVital } from './vitals.server'

/** The last value of each vital sign: how it went since the one before, and what is out of the ordinary. */
export function LatestVitals({ latest }: { latest: LatestVital[] }) {
  const of = (measure: Measure) => latest.find((each) => each.measure === measure)
  const pressure = [of('systolic_bp'), of('diastolic_bp')].filter((each) => each !== undefined)
  const others = latest.filter(
    ({ measure }) => measure !== 'systolic_bp' && measure !== 'diastolic_bp',
  )
  return (
    <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="xs">
      {pressure.length > 0 && (
        <Tile label="vitals.blood_pressure" unit="vitals.unitMmHg" values={pressure} />
      )}
      {others.map((each) => (
        <Tile
          key={each.measure}
          label={`vitals.${each.measure}`}
          unit={UNIT_OF[each.measure]}
          values={[each]}
        />
      ))}
    </SimpleGrid>
  )
}

type TileProps = { label: MessageKey; unit: MessageKey | null; values: LatestVital[] }

function Tile({ label, unit, values }: TileProps) {
  const say = useSay()
  const textOf = useMarkText()
  const [first] = values
  const whys = [...new Set(values.flatMap(({ mark }) => (mark ? [textOf(mark)] : [])))]
  return (
    <Paper withBorder px="sm" py={6}>
      <Text size="xs" c="dimmed">
        {say(label)}
      </Text>
      <VitalValue
        values={values.map(({ value }) => value)}
        marks={values.map(({ mark }) => mark)}
        unit={unit}
        size="lg"
      />
      {/* what to do is read without pressing anything; the value says it to screen readers */}
      {whys.map((why) => (
        <Text key={why} size="xs" fw={500} aria-hidden>
          {why}
        </Text>
      ))}
      <Group gap={6} wrap="wrap">
        {first && (
          <Text size="xs" c="dimmed" component="span">
            <Moment at={first.timestamp} dayOnly />
          </Text>
        )}
        {first && <EnteredLater on={first.entered_on} by={first.recorded_by} />}
        {first?.previous && (
          <Trend
            value={first.value}
            previous={first.previous.value}
            all={values.map(({ previous }) => previous?.value ?? null)}
          />
        )}
      </Group>
    </Paper>
  )
}

type TrendProps = { value: number; previous: number; all: (number | null)[] }

const SAME = [IconEqual, 'vitals.same'] as const
const UP = [IconArrowUpRight, 'vitals.up'] as const
const DOWN = [IconArrowDownRight, 'vitals.down'] as const

/** The direction is that of the first value: of blood pressure, the systolic one. */
function Trend({ value, previous, all }: TrendProps) {
  const say = useSay()
  const read = useReading()
  const other = value > previous ? UP : DOWN
  const [Icon, key] = read(value) === read(previous) ? SAME : other
  const before = all.map((each) => (each === null ? '–' : read(each))).join('/')
  const words = say({ key, values: { value: before } })
  return (
    <Text
      component="span"
      size="xs"
      c="dimmed"
      title={words}
      style={{ display: 'inline-flex', alignItems: 'center', gap: 2 }}
    >
      <Icon size={14} aria-hidden />
      <VisuallyHidden component="span">{words}</VisuallyHidden>
      <bdi dir="ltr" aria-hidden>
        {before}
      </bdi>
    </Text>
  )
}
