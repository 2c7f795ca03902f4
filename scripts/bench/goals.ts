import type { MixFigure } from './mix'
import { summarizeTimes, ms } from './percentiles'
import type { PhoneFigure } from './phones'
import type { Case } from './timing'

/** One measurement of everything; a run may make several, one after the other. */
export type Round = {
  /** Milliseconds of a fixed piece of work, before each measure. */
  speed: number[]
  figures: Case[]
  phones: PhoneFigure[]
}

/** `before`: p50, p95 and answers in a second of 2026-11-22; `goal`: of the p95, and of the answers. */
const defineGoal = (
  name: string,
  of: string,
  before: readonly [p50: number, p95: number, perSecond: number],
  goal: number,
  perSecond?: number,
) => ({ name, of, before, goal, perSecond })

const goals = [
  defineGoal('search by phone', 'search: phone', [4.6, 7.2, 393], 5),
  defineGoal('search by external id', 'search: external id', [3.7, 5.1, 508], 5),
  defineGoal('search by full name', 'search: full name', [6.4, 11.4, 291], 10),
  defineGoal('search, misspelt', 'search: misspelt', [9.5, 16.3, 205], 15),
  defineGoal('search, part of a name', 'search: part of a name', [10.1, 31.8, 149], 20),
  defineGoal('patient list, page 1', 'patients: list', [15.1, 20.9, 119], 12, 250),
  defineGoal('patient list, page 200', 'patients: page 200', [16.8, 17.7, 112], 12, 250),
  defineGoal('patient', 'patient', [2.3, 6.5, 452], 4, 900),
  defineGoal('prescriptions', 'prescriptions: list', [24.7, 34.0, 69], 12, 250),
  defineGoal('appointments', 'appointments: list', [14.1, 20.5, 115], 10, 250),
  defineGoal('register a patient', 'register a patient', [11.9, 19.0, 107], 12, 200),
]

/** Milliseconds of 2026-11-22 and the goal: of the median, of an empty pull of the p95. */
const phoneGoals = [
  { name: 'empty pull', of: 'phones: empty pull', before: 25, goal: 10, at: 'p95' },
  { name: 'push of 30 rows', of: 'phones: push of 30 rows', before: 46, goal: 20, at: 'p50' },
  { name: 'push of 300 rows', of: 'phones: push of 300 rows', before: 107, goal: 50, at: 'p50' },
  { name: 'push of 1500 rows', of: 'phones: push of 1500 rows', before: 377, goal: 150, at: 'p50' },
] as const

/** What Bahmni has published for the same users and patients on four processors: p95 in milliseconds. */
const BAHMNI: Record<string, number> = {
  'mix: register a patient': 107,
  'mix: find by name': 310,
  'mix: find by phone': 143,
  'mix: consultation': 701,
}

const ratio = (value: number, of: number) => (value / of).toFixed(2)
const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
const table = (heads: readonly string[], rows: readonly string[][]) => [
  line(heads),
  line(heads.map((_, at) => (at === 0 ? '---' : '---:'))),
  ...rows.map(line),
  '',
]
const found = <F extends { name: string }>(figures: readonly F[], name: string) =>
  figures.find((figure) => figure.name === name)

/** The rounds' medians beside the goals, ratios first; then every round by itself. Nothing of what was not measured. */
export function goalLines(rounds: readonly Round[], mix: readonly MixFigure[]): string[] {
  const lines = [...againstGoals(rounds), ...roundLines(rounds), ...bahmniLines(mix)]
  return lines.length === 0 ? [] : ['## Against the goals', '', ...lines]
}

const medianTime = (values: readonly number[]) => summarizeTimes('median', [...values]).p50

function againstGoals(rounds: readonly Round[]): string[] {
  const rows = goals.flatMap(({ name, of, before: [p50, p95, second], goal, perSecond }) => {
    const all = rounds.flatMap(({ figures }) => found(figures, of) ?? [])
    if (all.length === 0) return []
    const now = {
      p50: medianTime(all.map((each) => each.p50)),
      p95: medianTime(all.map((each) => each.p95)),
      floor: medianTime(all.map(({ floor }) => floor?.p50 ?? 0)),
    }
    const answers = Math.round(medianTime(all.map((each) => each.perSecond ?? 0)))
    return [
      [
        name,
        ratio(now.p95, goal),
        perSecond ? ratio(answers, perSecond) : '',
        ratio(now.p50, p50),
        ratio(now.p95, p95),
        now.floor ? (now.p50 / now.floor).toFixed(1) : '',
        `${ms(now.p50)}, ${ms(now.p95)}, ${answers}`,
        `${p50}, ${p95}, ${second}`,
        perSecond ? `${goal}, ${perSecond}` : `${goal}`,
      ],
    ]
  })
  const phoneRows = phoneGoals.flatMap(({ name, of, before, goal, at }) => {
    const all = rounds.flatMap(({ phones }) => found(phones, of)?.[at] ?? [])
    if (all.length === 0) return []
    const now = medianTime(all)
    return [
      [
        name,
        `${ratio(now, goal)} (${at})`,
        '',
        ratio(now, before),
        '',
        '',
        ms(now),
        `${before}`,
        `${goal}`,
      ],
    ]
  })
  if (rows.length + phoneRows.length === 0) return []
  return [
    'Medians of the rounds, beside the run of 2026-11-22 on another machine with as many',
    'processors, and the goals. Of a p95 at most 1.00 meets its goal, of the answers in a second',
    'at least 1.00; of p50 / floor at most 2 is aimed at.',
    '',
    ...table(
      [
        'case',
        'p95 / goal',
        '16 at once / goal',
        'p50 / then',
        'p95 / then',
        'p50 / floor',
        'now: p50, p95, 16: /s',
        '2026-11-22',
        'goal',
      ],
      [...rows, ...phoneRows],
    ),
  ]
}

/** p50 / p95, and answers in a second. */
function roundLines(rounds: readonly Round[]): string[] {
  if (rounds.length === 1) return []
  const cells = (of: (round: Round) => string | undefined) => rounds.map((round) => of(round) ?? '')
  const requests = goals.map(({ name, of }) => [
    name,
    ...cells(({ figures }) => {
      const now = found(figures, of)
      return now && `${ms(now.p50)} / ${ms(now.p95)}, ${Math.round(now.perSecond ?? 0)}`
    }),
  ])
  const names = rounds[0]!.phones.map(({ name }) => name)
  const phones = names.map((of) => [
    of,
    ...cells((round) => {
      const now = found(round.phones, of)
      return now && `${ms(now.p50)} / ${ms(now.p95)}`
    }),
  ])
  const speed = cells(({ speed: taken }) =>
    taken.length > 0 ? `${ms(Math.min(...taken))} / ${ms(medianTime(taken))}` : undefined,
  )
  return [
    'Each round: p50 / p95 in milliseconds and answers in a second with sixteen callers; of',
    'the fixed piece of work best / median.',
    '',
    ...table(
      ['case', ...rounds.map((_, at) => `round ${at + 1}`)],
      [...requests, ...phones, ['fixed piece of work', ...speed]].filter((row) =>
        row.slice(1).some(Boolean),
      ),
    ),
  ]
}

function bahmniLines(mix: readonly MixFigure[]): string[] {
  const parts = mix.flatMap(({ name, p95 }) => {
    const theirs = BAHMNI[name]
    return theirs ? [`${name.replace('mix: ', '')} ${ratio(p95, theirs)} of ${theirs}`] : []
  })
  return parts.length === 0
    ? []
    : [
        'Of the 70 users, p95 beside what Bahmni has published for the same users and patients on ' +
          `four processors; a third is the goal: ${parts.join(', ')}.`,
        '',
      ]
}
