import '@mantine/charts/styles.layer.css'
import { BarChart } from '@mantine/charts'
import { useDirection } from '@mantine/core'
import { useFormatter } from 'use-intl'
import { useSay } from '~/shared/say'
import type { TrendDay } from './administration.server'

/** Fetched only by those who see it: it brings the charts' library along. */
export default function TrendChart({ days }: { days: readonly TrendDay[] }) {
  const say = useSay()
  const format = useFormatter()
  const { dir } = useDirection()
  const formatDay = (day: string) =>
    format.dateTime(new Date(`${day}T00:00:00Z`), {
      day: 'numeric',
      month: 'short',
      timeZone: 'UTC',
    })
  return (
    <BarChart
      h={240}
      aria-hidden
      // SVG anchors its texts by the direction around it; time runs from the right through `reversed`
      dir="ltr"
      barChartProps={{ accessibilityLayer: false }}
      data={[...days]}
      dataKey="day"
      series={[
        { name: 'registered', label: say('dashboard.registered'), color: 'sanad.6' },
        { name: 'visits', label: say('dashboard.visits'), color: 'orange.6' },
      ]}
      withLegend
      legendProps={{ itemSorter: null }}
      tooltipAnimationDuration={0}
      barProps={{ isAnimationActive: false }}
      valueFormatter={(value) => format.number(value)}
      xAxisProps={{ tickFormatter: formatDay, reversed: dir === 'rtl', minTickGap: 16 }}
      yAxisProps={{
        allowDecimals: false,
        width: 44,
        orientation: dir === 'rtl' ? 'right' : 'left',
      }}
      tooltipProps={{ labelFormatter: (day) => (typeof day === 'string' ? formatDay(day) : '') }}
    />
  )
}
