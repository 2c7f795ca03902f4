import '@mantine/charts/styles.layer.css'
import { LineChart } from '@mantine/charts'
import {
  Alert,
  Paper,
  Stack,
  Table,
  Text,
  Title,
  useDirection,
  VisuallyHidden,
} from '@mantine/core'
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react'
import { useFormatter } from 'use-intl'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { Day } from '~/ui/Day'
import { EmptyState } from '~/ui/EmptyState'
import { BANDS, chartBands } from './growth'
import type { childGrowth } from './growth.server'
import type { GrowthChart, HeightChart } from './growth.server'
import { UNIT_OF } from '../VitalValue'

type Props = { growth: Awaited<ReturnType<typeof childGrowth>>; isApproximate: boolean }

const DAYS_PER_MONTH = 30.4375
const bandColor = (z: number) => {
  if (z === 0) return 'green.8'
  if (Math.abs(z) === 3) return 'red.8'
  if (z === 1) return 'yellow.8'
  return 'orange.8'
}

/** A child against the WHO standards: a chart for each indicator and the same in a table. */
export function GrowthCharts({ growth, isApproximate }: Props) {
  const say = useSay()
  const { reason, charts, byHeight, isCorrected, beforeTerm } = growth
  const notDrawn = beforeTerm > 0 && (
    <Text size="sm">{say({ key: 'growth.beforeTerm', values: { count: beforeTerm } })}</Text>
  )
  if (reason) {
    return (
      <Paper withBorder>
        <EmptyState title={`growth.${reason}`} action={notDrawn} />
      </Paper>
    )
  }
  return (
    <Stack gap="lg">
      {isApproximate && (
        <Alert color="yellow" icon={<IconInfoCircle size={18} aria-hidden />}>
          {say('growth.approximate')}
        </Alert>
      )}
      {isCorrected && (
        <Alert color="sanad" icon={<IconInfoCircle size={18} aria-hidden />}>
          {say('growth.corrected')}
          {notDrawn}
        </Alert>
      )}
      {charts.map((chart) => (
        <ByAge key={chart.indicator} chart={chart} />
      ))}
      {byHeight.map((chart) => (
        <ByHeight key={chart.position} chart={chart} />
      ))}
      <Text size="xs" c="dimmed">
        {say('growth.source')}
      </Text>
    </Stack>
  )
}

const units = {
  weight: UNIT_OF.weight_kg,
  height: UNIT_OF.height_cm,
  bmi: UNIT_OF.bmi,
  head: UNIT_OF.head_circumference_cm,
  arm: UNIT_OF.arm_circumference_cm,
} as const

function ByAge({ chart: { indicator, lines, points } }: { chart: GrowthChart }) {
  const say = useSay()
  const end = lines.at(-1)?.days ?? 0
  const inYears = end > 1856
  return (
    <Curves
      title={`growth.${indicator}`}
      unit={units[indicator]}
      bands={chartBands(indicator)}
      lines={lines.map(({ days, values }) => ({ x: days, values }))}
      points={points.map(({ days, ...point }) => ({ ...point, x: days }))}
      axis={{
        label: say(inYears ? 'growth.inYears' : 'growth.inMonths'),
        domain: [0, end],
        ticks: ticksUpTo(end),
        perUnit: inYears ? 365.25 : DAYS_PER_MONTH,
        tickDecimals: inYears ? 1 : 0,
      }}
    />
  )
}

/** Weight by length or height, for children below five. */
function ByHeight({ chart: { position, lines, points } }: { chart: HeightChart }) {
  const say = useSay()
  const domain: [number, number] = position === 'lying' ? [45, 110] : [65, 120]
  return (
    <Curves
      title={position === 'lying' ? 'growth.byLying' : 'growth.byStanding'}
      unit={UNIT_OF.weight_kg}
      bands={BANDS}
      lines={lines.map(({ cm, values }) => ({ x: cm, values }))}
      points={points.map(({ cm, ...point }) => ({ ...point, x: cm }))}
      axis={{
        label: say('growth.cm'),
        domain,
        ticks: Array.from(
          { length: (domain[1] - domain[0]) / 5 + 1 },
          (_, at) => domain[0] + at * 5,
        ),
        perUnit: 1,
        tickDecimals: 0,
      }}
    />
  )
}

type Point = {
  id: string
  day: string
  x: number
  value: number
  z: number
  percentile: number
  implausible: boolean
}
type CurvesProps = {
  title: MessageKey
  unit: MessageKey | null
  /** The standard deviations of the lines, in the order of their values. */
  bands: readonly number[]
  lines: readonly { x: number; values: number[] }[]
  /** In the order of x. */
  points: readonly Point[]
  /** `perUnit`: how many of x make one of what the axis shows. */
  axis: {
    label: string
    domain: [number, number]
    ticks: number[]
    perUnit: number
    tickDecimals: number
  }
}

/** The curves of the standard with the child's points, and the points in a table. */
function Curves({ title, unit, bands, lines, points, axis }: CurvesProps) {
  const say = useSay()
  const format = useFormatter()
  const { dir } = useDirection()
  if (points.length === 0) return null
  const shownX = (x: number, maximumFractionDigits: number) =>
    format.number(x / axis.perUnit, { maximumFractionDigits })
  const bandName = (z: number) =>
    z === 0
      ? say('growth.median')
      : say({ key: 'growth.sd', values: { z: z > 0 ? `+${z}` : `−${-z}` } })
  const data = [
    ...lines.map(({ x, values }) => ({
      x,
      ...Object.fromEntries(bands.map((z, index) => [`band${z}`, values[index]])),
    })),
    ...points.map(({ x, value }) => ({ x, child: value })),
  ].toSorted((a, b) => a.x - b.x)
  return (
    <Paper withBorder p="md" component="section" aria-label={say(title)}>
      <Title order={2}>
        {say(title)}
        {unit && (
          <Text span size="xs" c="dimmed" fw={400}>
            {' '}
            {say(unit)}
          </Text>
        )}
      </Title>
      <VisuallyHidden>
        {say({
          key: 'growth.chartOf',
          values: { indicator: say(title), count: points.length },
        })}
      </VisuallyHidden>
      <LineChart
        h={300}
        mt="sm"
        aria-hidden
        // SVG anchors its texts by the direction around it; time runs from the right through `reversed`
        dir="ltr"
        lineChartProps={{ accessibilityLayer: false }}
        data={data}
        dataKey="x"
        connectNulls
        curveType="monotone"
        withTooltip={false}
        xAxisLabel={axis.label}
        series={[
          ...bands.map((z) => ({
            name: `band${z}`,
            label: bandName(z),
            color: bandColor(z),
          })),
          { name: 'child', label: say('growth.child'), color: 'var(--mantine-color-text)' },
        ]}
        xAxisProps={{
          type: 'number',
          domain: axis.domain,
          tickFormatter: (x: number) => shownX(x, axis.tickDecimals),
          ticks: axis.ticks,
          reversed: dir === 'rtl',
        }}
        yAxisProps={{
          domain: ['auto', 'auto'],
          width: 44,
          orientation: dir === 'rtl' ? 'right' : 'left',
        }}
        lineProps={({ name }) => ({
          isAnimationActive: false,
          dot: name === 'child' ? { r: 4, fill: 'var(--mantine-color-text)' } : false,
          activeDot: false,
          strokeWidth: name === 'child' ? 2 : 1.25,
          strokeDasharray: name.endsWith('3') ? '6 4' : undefined,
        })}
      />
      <Text size="xs" c="dimmed" ta="center">
        {bands.map(bandName).join(' · ')}
      </Text>
      <Table.ScrollContainer
        minWidth={360}
        mt="sm"
        scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
      >
        <Table fz="sm">
          <Table.Thead>
            <Table.Tr>
              {(['day', 'x', 'value', 'z', 'percentile'] as const).map((heading) => (
                <Table.Th key={heading} scope="col">
                  {heading === 'x' ? axis.label : say(`growth.${heading}`)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {points.toReversed().map((point) => (
              <Table.Tr key={point.id}>
                <Table.Td>
                  <Day value={point.day} />
                </Table.Td>
                <Table.Td>{shownX(point.x, 1)}</Table.Td>
                <Table.Td>{format.number(point.value, { maximumFractionDigits: 1 })}</Table.Td>
                <Table.Td>
                  <bdi dir="ltr">
                    {format.number(point.z, { maximumFractionDigits: 2, minimumFractionDigits: 2 })}
                  </bdi>
                  {point.implausible && (
                    <Text size="xs" c="red.9" component="div">
                      <IconAlertTriangle size={14} aria-hidden /> {say('growth.implausible')}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td>{format.number(point.percentile, { maximumFractionDigits: 1 })}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Paper>
  )
}

/** Six to twelve marks at whole months or years. */
function ticksUpTo(end: number): number[] {
  const months = end > 730 ? 6 : 3
  const step = end > 1856 ? 730.5 : DAYS_PER_MONTH * months
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, index) => Math.round(index * step))
}
