import { describe, expect, test } from 'vitest'
import { addDays, addMonths } from '~/shared/zone'
import { followUpItems } from './items'
import { type Schedule, scheduleInForce, STARTER_SCHEDULES } from './schedule'
import { judgeDoses } from './valid-doses'

const BORN = '2024-01-01'
const epi = STARTER_SCHEDULES.find(({ code }) => code === 'epi')!
const earlier = scheduleInForce(epi, { version: '2026-11' })
const withAll = scheduleInForce(epi, {
  version: 'who-2023',
  switched_on: { boosters: '2020-01-01', hpv: '2020-01-01' },
  hpv_doses: 2,
})

/** "6w", "9m", "4y", "41d": an age. */
const at = (age: string) => {
  const [, number = '', unit] = /^(\d+)([dwmy])$/.exec(age) ?? []
  const n = Number(number)
  if (unit === 'm' || unit === 'y') return addMonths(BORN, unit === 'y' ? n * 12 : n)
  return addDays(BORN, unit === 'w' ? n * 7 : n)
}

type Case = {
  of: string
  /** "penta 6w": a dose and the age at it. */
  given: string[]
  /** The age on the day of the question. */
  age: string
  /** Of the steps that begin with this text. */
  only: string
  /** What is open next, with its day. */
  next: string[]
  /** Steps that are done. */
  done?: string[]
  /** Doses by their place, with the part for which they do not count and why. */
  refused?: string[]
  schedule?: Schedule
  sex?: string
}

const cases: Case[] = [
  {
    of: 'three pentavalent doses at the recommended ages',
    given: ['penta 6w', 'penta 10w', 'penta 14w'],
    age: '15w',
    only: 'penta',
    next: [],
    done: ['penta-1', 'penta-2', 'penta-3'],
  },
  {
    of: 'a pentavalent dose one day before 6 weeks does not count',
    given: ['penta 41d'],
    age: '8w',
    only: 'penta',
    next: ['penta-1 6w'],
    refused: ['0 dtp too_young', '0 hepb too_young', '0 hib too_young'],
  },
  {
    of: 'a pentavalent dose 27 days after the one before does not count, and the next is due after the first',
    given: ['penta 6w', 'penta 69d'],
    age: '12w',
    only: 'penta',
    next: ['penta-2 10w'],
    refused: ['1 dtp too_soon', '1 hepb too_soon', '1 hib too_soon'],
  },
  {
    of: 'a dose after one that did not count is compared with the one that counts',
    given: ['penta 6w', 'penta 8w', 'penta 10w'],
    age: '12w',
    only: 'penta',
    next: ['penta-3 14w'],
    done: ['penta-1', 'penta-2'],
    refused: ['1 dtp too_soon', '1 hepb too_soon', '1 hib too_soon'],
  },
  {
    of: 'twice on one day counts once',
    given: ['penta 6w', 'penta 6w'],
    age: '8w',
    only: 'penta',
    next: ['penta-2 10w'],
    refused: ['1 dtp same_day', '1 hepb same_day', '1 hib same_day'],
  },
  {
    of: 'hexavalent counts for diphtheria, hepatitis B, Hib and inactivated polio',
    given: ['hexa 6w', 'hexa 10w', 'hexa 14w'],
    age: '15w',
    only: 'penta,ipv,opv-1,opv-2,opv-3',
    // two of three doses are eight weeks apart; three, four weeks apart, replace oral polio vaccine
    next: [],
    done: ['penta-1', 'penta-2', 'penta-3', 'ipv-1', 'ipv-2'],
    refused: ['1 ipv too_soon'],
  },
  {
    of: 'pentavalent after a hexavalent dose goes on with the same series',
    given: ['hexa 6w', 'penta 10w'],
    age: '11w',
    only: 'penta,ipv',
    next: ['penta-3 14w', 'ipv-2 9m'],
    done: ['penta-1', 'penta-2', 'ipv-1'],
  },
  {
    of: 'DTP alone leaves hepatitis B and Hib to be given',
    given: ['dtp 6w', 'dtp 10w', 'dtp 14w'],
    age: '15w',
    only: 'penta,hepb-1,hib,dtp',
    next: ['hepb-1 6w', 'hib-1 6w'],
    done: ['dtp-1', 'dtp-2', 'dtp-3'],
  },
  {
    of: 'DTP, hepatitis B and Hib given apart count as the combined dose',
    given: ['dtp 6w', 'hepb 6w', 'hib 6w'],
    age: '7w',
    only: 'penta',
    next: ['penta-2 10w'],
    done: ['penta-1'],
  },
  {
    of: 'hepatitis B at birth is no dose of the series',
    given: ['hepb 1d', 'penta 6w'],
    age: '7w',
    only: 'penta,hepb',
    next: ['penta-2 10w'],
    done: ['penta-1', 'hepb-0'],
  },
  {
    of: 'oral polio vaccine at birth is no dose of the series',
    given: ['opv 3d', 'opv 6w'],
    age: '7w',
    only: 'opv',
    next: ['opv-2 10w'],
    done: ['opv-0', 'opv-1'],
  },
  {
    of: 'oral polio vaccine at 3 weeks is too early',
    given: ['opv 21d'],
    age: '5w',
    only: 'opv-1',
    next: ['opv-1 6w'],
    refused: ['0 opv too_young'],
  },
  {
    of: 'a second dose of inactivated polio vaccine is due at 9 months',
    given: ['ipv 14w'],
    age: '15w',
    only: 'ipv',
    next: ['ipv-2 9m'],
    done: ['ipv-1'],
  },
  {
    of: 'inactivated polio vaccine counts from 6 weeks (early option)',
    given: ['ipv 6w', 'ipv 14w'],
    age: '15w',
    only: 'ipv',
    next: [],
    done: ['ipv-1', 'ipv-2'],
  },
  {
    of: 'inactivated polio vaccine 7 weeks after the first does not count',
    given: ['ipv 14w', 'ipv 21w'],
    age: '22w',
    only: 'ipv',
    next: ['ipv-2 9m'],
    refused: ['1 ipv too_soon'],
  },
  {
    of: 'measles vaccine four weeks after the first counts, also below 15 months',
    given: ['mr 9m', 'mr 302d'],
    age: '11m',
    only: 'mr',
    next: [],
    done: ['mr-1', 'mr-2'],
  },
  {
    of: 'the second dose of measles vaccine is due at 15 months',
    given: ['mr 9m'],
    age: '10m',
    only: 'mr',
    next: ['mr-2 15m'],
    done: ['mr-1'],
  },
  {
    of: 'MMR and measles vaccine count for the measles part',
    given: ['measles 9m', 'mmr 15m'],
    age: '16m',
    only: 'mr',
    next: [],
    done: ['mr-1', 'mr-2'],
  },
  {
    of: 'an early measles dose at 6 months is extra',
    given: ['measles 6m'],
    age: '7m',
    only: 'mr',
    next: ['mr-1 9m'],
    refused: ['0 measles too_young'],
  },
  {
    of: 'a first measles dose at 3 years is followed by one four weeks later',
    given: ['mr 3y'],
    age: '37m',
    only: 'mr',
    next: [`mr-2 ${3 * 365 + 1 + 28}d`],
    done: ['mr-1'],
  },
  {
    of: 'who begins DTP after the first birthday waits six months for the third dose and needs Hib once',
    given: ['penta 13m', 'penta 15m'],
    age: '16m',
    only: 'penta,hib',
    next: ['penta-3 21m'],
    done: ['penta-1', 'penta-2'],
  },
  {
    of: 'a third DTP dose four weeks later does not count for a late starter, hepatitis B does',
    given: ['penta 13m', 'penta 15m', 'penta 17m'],
    age: '18m',
    only: 'penta,dtp,hepb-1',
    next: ['dtp-3 21m'],
    refused: ['2 dtp too_soon'],
  },
  {
    of: 'pneumococcal vaccine from 12 months needs two doses',
    given: ['pcv 13m', 'pcv 15m'],
    age: '16m',
    only: 'pcv',
    next: [],
    done: ['pcv-1', 'pcv-2'],
  },
  {
    of: 'pneumococcal vaccine from 24 months needs one dose',
    given: ['pcv 25m'],
    age: '26m',
    only: 'pcv',
    next: [],
    done: ['pcv-1'],
  },
  {
    of: 'BCG at 3 years counts and is due below 5 years',
    given: ['bcg 3y'],
    age: '37m',
    only: 'bcg',
    next: [],
    done: ['bcg-'],
  },
  { of: 'BCG is due at 2 years', given: [], age: '2y', only: 'bcg', next: ['bcg 0d'] },
  {
    of: 'BCG at 5 years does not count',
    given: ['bcg 5y'],
    age: '61m',
    only: 'bcg',
    next: [],
    refused: ['0 bcg too_old'],
  },
  {
    of: 'rotavirus vaccine is not given from 24 months',
    given: ['rota 6w', 'rota 2y'],
    age: '25m',
    only: 'rota',
    next: [],
    done: ['rota-1'],
    refused: ['1 rota too_old'],
  },
  {
    of: 'the first booster is due at 12 months, six months after the third dose',
    given: ['penta 6w', 'penta 10w', 'penta 8m'],
    age: '9m',
    only: 'dtp-4',
    next: ['dtp-4 14m'],
    schedule: withAll,
  },
  {
    of: 'boosters go on with Td, four years apart',
    given: ['penta 6w', 'penta 10w', 'penta 14w', 'dtp 18m', 'td 66m'],
    age: '6y',
    only: 'dtp,td',
    next: ['td-6 114m'],
    done: ['dtp-4', 'td-5'],
    schedule: withAll,
  },
  {
    of: 'without boosters switched on none is due',
    given: ['penta 6w', 'penta 10w', 'penta 14w'],
    age: '2y',
    only: 'dtp,td',
    next: [],
  },
  {
    of: 'HPV vaccine is due for girls from 9 years, a second dose after six months',
    given: ['hpv 9y'],
    age: '110m',
    only: 'hpv',
    next: ['hpv-2 114m'],
    done: ['hpv-1'],
    schedule: withAll,
    sex: 'female',
  },
  {
    of: 'HPV vaccine is due for nobody else',
    given: [],
    age: '10y',
    only: 'hpv',
    next: [],
    schedule: withAll,
    sex: 'male',
  },
  {
    of: 'the schedule before has one dose of inactivated polio vaccine, and BCG below 12 months',
    given: ['ipv 14w'],
    age: '13m',
    only: 'ipv,bcg',
    next: [],
    done: ['ipv-1'],
    schedule: earlier,
  },
]

describe('which doses count, and which is next', () => {
  test.each(cases)('$of', ({ given, age, only, next, done, refused, schedule = epi, sex }) => {
    const doses = given.map((text, index) => {
      const [vaccine = '', when = ''] = text.split(' ')
      return { id: String(index), vaccine, day: at(when), visitId: null }
    })
    const facts = {
      enrolledOn: BORN,
      endedOn: null,
      lmp: null,
      born: BORN,
      sex,
      reviewDays: null,
      visits: [],
      appointments: [],
      calls: [],
      doses,
    }
    const shown = only.split(',')
    const items = followUpItems(schedule, facts, at(age)).filter(({ step }) =>
      shown.some((begin) => step.startsWith(begin)),
    )
    const open = items.filter(({ status }) => status === 'open')
    expect(open.map(({ step, due_on }) => `${step} ${due_on}`)).toEqual(
      next.map((text) => {
        const [step = '', when = ''] = text.split(' ')
        return `${step} ${at(when)}`
      }),
    )
    const finished = items.filter(({ status }) => status === 'done').map(({ step }) => `${step}-`)
    for (const step of done ?? []) expect(finished.some((one) => one.startsWith(step))).toBe(true)
    const child = { born: BORN, isBirthExact: true }
    const verdicts = [...judgeDoses(child, doses)].flatMap(([id, reasons]) =>
      reasons.map(({ part, why }) => `${id} ${part} ${why}`),
    )
    expect(verdicts.toSorted()).toEqual((refused ?? []).toSorted())
  })

  test('without an exact birth date no age is compared; a day and a wait still are', () => {
    const doses = ['2024-02-01', '2024-02-01', '2024-02-10', '2024-03-01'].map((day, index) => ({
      id: String(index),
      vaccine: 'opv',
      day,
      visitId: null,
    }))
    const verdicts = judgeDoses({ born: BORN, isBirthExact: false }, doses)
    expect([...verdicts].map(([id, [first]]) => `${id} ${first!.why}`)).toEqual([
      '1 same_day',
      '2 too_soon',
    ])
  })
})

describe('what an administrator switches on', () => {
  const switched = scheduleInForce(epi, {
    version: 'who-2023',
    switched_on: { version: '2026-11-29', boosters: '2026-11-29' },
  })
  const facts = (born: string, doses: string[]) => ({
    enrolledOn: born,
    endedOn: null,
    lmp: null,
    born,
    reviewDays: null,
    visits: [],
    appointments: [],
    calls: [],
    doses: doses.map((text) => {
      const [vaccine = '', day = ''] = text.split(' ')
      return {
        vaccine,
        day,
        visitId: null,
      }
    }),
  })
  const whole = (born: string) =>
    facts(born, [
      `bcg ${born}`,
      `opv ${born}`,
      `hepb ${born}`,
      ...[42, 70, 98].flatMap((age) =>
        ['opv', 'penta', 'pcv', 'rota'].map((vaccine) => `${vaccine} ${addDays(born, age)}`),
      ),
      `ipv ${addDays(born, 98)}`,
      `mr ${addMonths(born, 9)}`,
      `mr ${addMonths(born, 15)}`,
    ])

  test('makes nobody overdue overnight, nor later: the step is due from that day', () => {
    for (const today of ['2026-11-29', '2026-12-31', '2027-06-01']) {
      const open = followUpItems(switched, whole('2024-03-01'), today).filter(
        ({ status }) => status === 'open',
      )
      expect(open.map(({ step }) => step)).toEqual(['ipv-2', 'dtp-4'])
      for (const item of open) {
        expect(item.due_on).toBe('2026-11-29')
        expect(item.overdue_from > today).toBe(true)
      }
    }
  })

  test('a child whose date comes later has it as usual', () => {
    const born = '2026-06-01'
    const doses = ['penta', 'opv'].flatMap((vaccine) =>
      [42, 70, 98].map((age) => `${vaccine} ${addDays(born, age)}`),
    )
    const items = followUpItems(
      switched,
      facts(born, [...doses, `ipv ${addDays(born, 98)}`, `bcg ${born}`]),
      '2026-11-29',
    )
    expect(items.find(({ step }) => step === 'ipv-2')).toMatchObject({
      due_on: '2027-03-01',
      overdue_from: '2027-03-02',
    })
  })

  test('BCG of a child above 12 months is due and not overdue; of a younger child it is overdue', () => {
    const bcg = (born: string) =>
      followUpItems(switched, facts(born, []), '2026-12-15').find(({ step }) => step === 'bcg')!
    expect(bcg('2024-03-01')).toMatchObject({ due_on: '2026-11-29', overdue_from: '2029-03-01' })
    expect(bcg('2026-06-01')).toMatchObject({ due_on: '2026-06-01', overdue_from: '2026-06-02' })
  })

  test('a body stored before versions existed keeps its days and its schedule', () => {
    const { interval: _interval, ...body } = earlier
    const kept = scheduleInForce(epi, {
      due_before: body.due_before,
      grace: 3,
      interval: 28,
      steps: body.steps.map((step) =>
        step.code === 'mr-2'
          ? {
              ...step,
              months: 18,
            }
          : step,
      ),
    })
    expect(kept).toMatchObject({ version: '2026-11', grace: 3 })
    expect(kept.steps.find(({ code }) => code === 'mr-2')).toMatchObject({ months: 18 })
    expect(kept.steps.map(({ code }) => code)).not.toContain('ipv-2')
    const { code: _code, program: _program, ...days } = kept
    const newer = scheduleInForce(epi, { ...days, version: 'who-2023' })
    expect(newer.steps.find(({ code }) => code === 'mr-2')).toMatchObject({ months: 18 })
    expect(newer.steps.map(({ code }) => code)).toContain('ipv-2')
  })
})
