import '@mantine/charts/styles.layer.css'
import { LineChart } from '@mantine/charts'
import {
  ColorSwatch,
  Group,
  Paper,
  SimpleGrid,
  Text,
  useDirection,
  VisuallyHidden,
} from '@mantine/core'
import { useFormatter } from 'use-intl'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import type { Measure } from './vital'
import { UNIT_OF } from './VitalValue'
import type { Vital } from './vitals.server'
import { isolated } from '~/shared/isolated'

type Chart = { label: MessageKey; series: readonly { measure: Measure; color: string }[] }
const one = (measure: Measure, color: string): Chart => ({
  label: `vitals.${measure}`,
  series: [{ measure, color }],
})

const CHARTS: readonly Chart[] = [
  {
    label: 'vitals.blood_pressure',
    series: [
      { measure: 'systolic_bp', color: 'red.7' },
      { measure: 'diastolic_bp', color: 'blue.7' },
    ],
  },
  one('heart_rate', 'pink.7'),
  one('pulse_rate', 'grape.7'),
  one('temperature_celsius', 'orange.8'),
  one('oxygen_saturation', 'cyan.8'),
  one('respiratory_rate', 'teal.8'),
  one('weight_kg', 'indigo.7'),
  one('bmi', 'violet.7'),
  one('waist_circumference_cm', 'lime.9'),
  one('head_circumference_cm', 'cyan.9'),
  one('arm_circumference_cm', 'green.9'),
  one('pain_level', 'gray.7'),
]

/** How each vital sign went; one that was measured once is no trend. */
export function VitalCharts({ vitals }: { vitals: Vital[] }) {
  const charts = CHARTS.filter(({ series }) =>
    series.some(({ measure }) => vitals.filter((vital) => vital[measure] !== null).length > 1),
  )
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      {charts.map((chart) => (
        <Trend key={chart.label} chart={chart} vitals={vitals} />
      ))}
    </SimpleGrid>
  )
}

type DotProps = { cx?: number; cy?: number; payload?: Vital; stroke?: string }

function Trend({ chart: { label, series }, vitals }: { chart: Chart; vitals: Vital[] }) {
  const say = useSay()
  const format = useFormatter()
  const { dir } = useDirection()
  const points = vitals
    .filter((vital) => series.some(({ measure }) => vital[measure] !== null))
    .map((vital) => ({ ...vital, at: vital.timestamp.getTime() }))
  const unit = UNIT_OF[series[0]!.measure]
  // isolated: in the chart, which runs from the left, an Arabic date would fall apart
  const day = (at: number) =>
    isolated(format.dateTime(new Date(at), { month: 'short', year: '2-digit', day: 'numeric' }))
  return (
    <Paper withBorder p="md" component="figure" m={0}>
      <Text component="figcaption" size="sm" fw={600} mb="xs">
        {say(label)}
        {unit && (
          <Text span size="xs" c="dimmed">
            {' '}
            {say(unit)}
          </Text>
        )}
      </Text>
      {series.length > 1 && (
        // Mantine's own is as wide as the chart was at first, which another layout cuts off
        <Group gap="md" mb="xs" aria-hidden>
          {series.map(({ measure, color }) => (
            <Group key={measure} gap={6}>
              <ColorSwatch
                size={10}
                color={`var(--mantine-color-${color.replace('.', '-')})`}
                withShadow={false}
              />
              <Text size="xs">{say(`vitals.${measure}`)}</Text>
            </Group>
          ))}
        </Group>
      )}
      <VisuallyHidden>
        {say({ key: 'vitals.chartOf', values: { measure: say(label), count: points.length } })}
      </VisuallyHidden>
      <LineChart
        h={200}
        aria-hidden
        // SVG anchors its texts by the direction around it; time runs from the right through `reversed`
        dir="ltr"
        lineChartProps={{ accessibilityLayer: false }}
        data={points}
        dataKey="at"
        series={series.map(({ measure, color }) => ({
          name: measure,
          label: say(`vitals.${measure}`),
          color,
        }))}
        connectNulls
        curveType="linear"
        tooltipAnimationDuration={0}
        valueFormatter={(value) => format.number(value, { maximumFractionDigits: 1 })}
        xAxisProps={{
          type: 'number',
          scale: 'time',
          domain: ['dataMin', 'dataMax'],
          tickFormatter: day,
          reversed: dir === 'rtl',
        }}
        yAxisProps={{
          domain: ['auto', 'auto'],
          width: 44,
          orientation: dir === 'rtl' ? 'right' : 'left',
        }}
        tooltipProps={{ labelFormatter: (at) => (typeof at === 'number' ? day(at) : '') }}
        lineProps={(line) => ({
          isAnimationActive: false,
          // a filled, larger point is one that is out of the ordinary; the table says why
          dot: ({ cx, cy, payload, stroke }: DotProps) => {
            const mark = payload?.marks[line.name as Measure]
            if (cx === undefined || cy === undefined || payload?.[line.name as Measure] === null)
              return <g key={payload?.id} />
            return (
              <circle
                key={payload?.id}
                cx={cx}
                cy={cy}
                r={mark ? 5 : 3}
                stroke={stroke}
                strokeWidth={2}
                fill={mark ? 'var(--mantine-color-red-filled)' : 'var(--mantine-color-body)'}
              />
            )
          },
        })}
      />
    </Paper>
  )
}
