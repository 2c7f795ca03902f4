import '@mantine/charts/styles.layer.css'
import { BarChart, LineChart } from '@mantine/charts'
import { Group, Paper, Progress, Stack, Text, useDirection, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFormatter } from 'use-intl'
import { unitName } from '~/forms/unit'
import { useSay } from '~/shared/say'
import { EmptyState } from '~/ui/EmptyState'
import classes from './AnswerCharts.module.css'
import type { FormCharts } from './explore-charts.server'

type Asked = FormCharts['questions'][number]

/** What the answers amount to: how many a month, and of each question how often, the median, and how it went. */
export function AnswerCharts({ charts }: { charts: FormCharts }) {
  const say = useSay()
  const others = charts.questions.filter((asked) => asked.answered > 0 && !isDrawn(asked))
  if (charts.perMonth.length === 0) {
    return (
      <Paper withBorder>
        <EmptyState title="explore.noCharts" />
      </Paper>
    )
  }
  return (
    <div className={classes.figures}>
      <Figure title={say('explore.perMonth')}>
        <OverMonths points={charts.perMonth} what="count" />
      </Figure>
      {charts.questions.filter(isDrawn).map((asked) => (
        <Question key={asked.question.id} asked={asked} />
      ))}
      {others.length > 0 && (
        <Figure title={say('explore.others')}>
          <Counts
            counts={others.map(({ question, answered }) => ({
              label: question.name,
              count: answered,
            }))}
            of={charts.perMonth.reduce((sum, { count }) => sum + count, 0)}
          />
        </Figure>
      )}
    </div>
  )
}

/** Words and days are only counted. */
const isDrawn = ({ counts, numbers }: Asked) => counts.length > 0 || numbers !== null

function Question({ asked }: { asked: Asked }) {
  const say = useSay()
  const format = useFormatter()
  const { question, isAsked, answered, counts, numbers, overTime } = asked
  const unit =
    question.fieldType === 'free-text' && question.units?.length === 1
      ? ` ${unitName(question.units[0]!, say)}`
      : ''
  const amount = (value: number) => `${format.number(value, { maximumFractionDigits: 2 })}${unit}`
  return (
    <Figure
      title={isAsked ? question.name : `${question.name} (${say('explore.gone')})`}
      note={say({ key: 'explore.answered', values: { count: answered } })}
    >
      {numbers && (
        <Stack gap="xs">
          <Group gap="xl">
            <Fact label={say('explore.median')}>{amount(numbers.median)}</Fact>
            <Fact label={say('explore.leastMost')}>
              {amount(numbers.least)} – {amount(numbers.most)}
            </Fact>
          </Group>
          {overTime.length > 1 && <OverMonths points={overTime} what="median" />}
        </Stack>
      )}
      {counts.length > 0 && <Counts counts={counts} of={answered} />}
    </Figure>
  )
}

function Figure({ title, note, children }: { title: string; note?: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="figure" className={classes.figure}>
      <Group component="figcaption" justify="space-between" mb="xs" wrap="nowrap" align="baseline">
        <Text size="sm" fw={600} dir="auto">
          {title}
        </Text>
        {note && (
          <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
            {note}
          </Text>
        )}
      </Group>
      {children}
    </Paper>
  )
}

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <div>
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    <Text fw={600}>
      <bdi>{children}</bdi>
    </Text>
  </div>
)

/** How often each was chosen, as a bar and in figures. */
function Counts({ counts, of }: { counts: Asked['counts']; of: number }) {
  const format = useFormatter()
  return (
    <Stack gap={6} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {counts.map(({ label, count }) => (
        <li key={label}>
          <Group justify="space-between" wrap="nowrap" gap="xs">
            <Text size="sm" dir="auto">
              {label}
            </Text>
            <Text size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
              <bdi>
                {format.number(count)} ·{' '}
                {format.number(count / Math.max(of, 1), { style: 'percent' })}
              </bdi>
            </Text>
          </Group>
          <Progress value={(count / Math.max(of, 1)) * 100} size="sm" aria-hidden />
        </li>
      ))}
    </Stack>
  )
}

/** Room for the upper half of the topmost number. */
const margin = { top: 12 }

type Point = { month: string; count: number; median?: number }

function OverMonths({ points, what }: { points: readonly Point[]; what: 'count' | 'median' }) {
  const say = useSay()
  const format = useFormatter()
  const { dir } = useDirection()
  const isRtl = dir === 'rtl'
  const monthName = (month: string) =>
    format.dateTime(new Date(`${month}-15T12:00:00Z`), {
      month: 'short',
      year: '2-digit',
      timeZone: 'UTC',
    })
  const data = points.map((point) => ({ ...point, name: monthName(point.month) }))
  const name = say(what === 'count' ? 'explore.count' : 'explore.median')
  const look = {
    h: 180,
    data,
    dataKey: 'name',
    series: [{ name: what, label: name, color: 'sanad.7' }],
    yAxisProps: {
      orientation: isRtl ? ('right' as const) : ('left' as const),
      width: 44,
      allowDecimals: what === 'median',
      // every line has its number, the topmost too
      interval: 0,
      tickCount: 5,
    },
    xAxisProps: { reversed: isRtl },
    valueFormatter: (value: number) => format.number(value, { maximumFractionDigits: 2 }),
    tickLine: 'none' as const,
  }
  return (
    <>
      {what === 'median' && (
        <Text size="xs" c="dimmed">
          {say('explore.medianOverTime')}
        </Text>
      )}
      <div aria-hidden dir="ltr">
        {what === 'count' ? (
          <BarChart {...look} barChartProps={{ margin }} />
        ) : (
          <LineChart {...look} lineChartProps={{ margin }} curveType="linear" connectNulls />
        )}
      </div>
      <VisuallyHidden>
        <table>
          <caption>{name}</caption>
          <thead>
            <tr>
              <th scope="col">{say('explore.month')}</th>
              <th scope="col">{name}</th>
            </tr>
          </thead>
          <tbody>
            {data.map((point) => (
              <tr key={point.month}>
                <th scope="row">{point.name}</th>
                <td>{format.number(point[what] ?? 0, { maximumFractionDigits: 2 })}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </>
  )
}
