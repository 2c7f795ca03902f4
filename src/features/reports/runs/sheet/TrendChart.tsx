import '@mantine/charts/styles.layer.css'
import { LineChart } from '@mantine/charts'
import { useDirection } from '@mantine/core'
import { useSay } from '~/shared/say'

type Props = {
  /** Oldest first; null: no value. */
  points: readonly { name: string; value: number | null }[]
  goal: number | null
  label: string
  /** A count: its axis has no fractions. */
  isWhole: boolean
  format: (value: number) => string
}

/** Fetched only by those who see it: it brings the library of the charts along. */
export default function IndicatorTrendChart({ points, goal, label, isWhole, format }: Props) {
  const say = useSay()
  const { dir } = useDirection()
  return (
    <LineChart
      h={200}
      aria-hidden
      // SVG anchors its texts by the direction around it; time runs from the right through `reversed`
      dir="ltr"
      lineChartProps={{ accessibilityLayer: false }}
      data={points.map((point) => ({ ...point }))}
      dataKey="name"
      series={[{ name: 'value', label, color: 'sanad.6' }]}
      referenceLines={
        goal === null
          ? []
          : [
              {
                y: goal,
                color: 'orange.8',
                label: say({ key: 'reports.goal', values: { goal } }),
                labelPosition: 'insideTopRight',
              },
            ]
      }
      curveType="linear"
      connectNulls={false}
      tooltipAnimationDuration={0}
      lineProps={{ isAnimationActive: false }}
      valueFormatter={format}
      xAxisProps={{ reversed: dir === 'rtl', minTickGap: 12 }}
      yAxisProps={{
        // a goal that no value reaches is drawn all the same
        domain: [0, (most: number) => Math.max(most, goal ?? 0, isWhole ? 1 : 0)],
        allowDecimals: !isWhole,
        width: 56,
        orientation: dir === 'rtl' ? 'right' : 'left',
        tickFormatter: format,
      }}
    />
  )
}
