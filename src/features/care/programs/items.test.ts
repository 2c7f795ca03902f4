import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addDays, addMonths } from '~/shared/zone'
import { type ItemFacts, followUpItems } from './items'
import { PROGRAM_CODES } from './program-codes'
import { PROGRAMS } from './programs'
import { scheduleInForce, STARTER_SCHEDULES } from './schedule'

const schedule = (code: string) => STARTER_SCHEDULES.find((one) => one.code === code)!
const facts = (more: Partial<ItemFacts> = {}): ItemFacts => ({
  enrolledOn: '2026-01-01',
  endedOn: null,
  lmp: null,
  born: null,
  reviewDays: null,
  visits: [],
  appointments: [],
  calls: [],
  doses: [],
  ...more,
})
const on = (...days: string[]) => days.map((day) => ({ day, id: null }))
const call = (day: string, more: Partial<ItemFacts['calls'][number]> = {}) => ({
  id: `call-${day}`,
  day,
  result: 'remind_to_call_later' as const,
  agreedOn: null,
  remindOn: addDays(day, 7),
  ...more,
})
const appointment = (day: string, madeAt: string, fulfilled = false) => ({
  id: `appointment-${day}`,
  day,
  madeAt,
  fulfilled,
})
const short = (code: string, given: ItemFacts, today: string) =>
  followUpItems(schedule(code), given, today).map(({ step, due_on, status, status_on }) =>
    `${step} ${due_on} ${status} ${status_on ?? ''}`.trim(),
  )

describe('hypertension: the appointment, else 30 days after the last visit', () => {
  const given = facts({ visits: on('2026-01-01', '2026-02-03') })

  test('each visit satisfies the item before it and opens the next', () => {
    expect(short('htn-review', given, '2026-02-10')).toEqual([
      'visit 2026-01-31 done 2026-02-03',
      'visit 2026-03-05 open',
    ])
  })

  test('it is due seven days before, and overdue from the day after', () => {
    expect(followUpItems(schedule('htn-review'), given, '2026-02-10').at(-1)).toMatchObject({
      due_from: '2026-02-26',
      overdue_from: '2026-03-06',
      is_lead: true,
      expires_on: '2027-02-03',
    })
  })

  test('the newest appointment replaces the date; the patient has a date of their own', () => {
    const booked = {
      ...given,
      reviewDays: 60,
      appointments: [
        appointment('2026-03-20', '2026-02-03T10:00'),
        appointment('2026-03-10', '2026-02-04T10:00'),
      ],
    }
    expect(short('htn-review', booked, '2026-02-10').at(-1)).toBe('visit 2026-03-10 open')
    expect(short('htn-review', { ...booked, appointments: [] }, '2026-02-10').at(-1)).toBe(
      'visit 2026-04-04 open',
    )
  })

  test('a fulfilled appointment is a visit, also without a blood pressure', () => {
    const came = { ...given, appointments: [appointment('2026-03-05', '2026-02-03T10:00', true)] }
    expect(short('htn-review', came, '2026-03-06').slice(1)).toEqual([
      'visit 2026-03-05 done 2026-03-05',
      'visit 2026-04-04 open',
    ])
  })

  test('without a visit for 12 months the patient is lost; a visit opens the next item', () => {
    expect(short('htn-review', given, '2027-02-02').at(-1)).toBe('visit 2026-03-05 open')
    expect(short('htn-review', given, '2027-02-03').at(-1)).toBe('visit 2026-03-05 lost 2027-02-03')
    const back = { ...given, visits: on('2026-02-03', '2027-05-01') }
    expect(short('htn-review', back, '2027-05-02').at(-1)).toBe('visit 2027-05-31 open')
  })

  test('a removal ends the item; a later appointment opens a new one', () => {
    const removed = {
      ...given,
      calls: [call('2026-03-10', { result: 'removed_from_overdue_list', remindOn: null })],
    }
    expect(short('htn-review', removed, '2026-04-01').at(-1)).toBe(
      'visit 2026-03-05 removed 2026-03-10',
    )
    const booked = { ...removed, appointments: [appointment('2026-04-10', '2026-03-20T10:00')] }
    expect(short('htn-review', booked, '2026-04-01').slice(-2)).toEqual([
      'visit 2026-03-05 removed 2026-03-10',
      'visit 2026-04-10 open',
    ])
  })

  test.for([
    [{}, '2026-03-17'],
    [{ result: 'agreed_to_visit' as const, agreedOn: '2026-03-31', remindOn: null }, '2026-04-01'],
  ] as const)('a call %j hides it until %s', ([more, until]) => {
    const called = { ...given, calls: [call('2026-03-10', more)] }
    expect(followUpItems(schedule('htn-review'), called, '2026-03-11').at(-1)).toMatchObject({
      hidden_until: until,
      last_call_id: 'call-2026-03-10',
    })
    // of the visit after it the call says nothing
    const came = { ...called, visits: on('2026-02-03', '2026-03-10') }
    expect(followUpItems(schedule('htn-review'), came, '2026-03-11').at(-1)).toMatchObject({
      hidden_until: null,
    })
  })

  test('the end of the enrolment ends it', () => {
    expect(short('htn-review', { ...given, endedOn: '2026-02-20' }, '2026-05-01').at(-1)).toBe(
      'visit 2026-03-05 ended 2026-02-20',
    )
  })
})

describe('antenatal care: weeks from the last period', () => {
  const given = facts({ lmp: '2026-01-01', enrolledOn: '2026-03-01' })

  test('a contact after the middle satisfies a step; before it, it does not', () => {
    // week 20 is 21 May, week 26 is 2 July; the middle is 11 June
    const at = (day: string) =>
      short('anc', { ...given, visits: on('2026-05-20', day) }, '2026-06-20').slice(0, 3)
    expect(at('2026-06-11')[2]).toBe('week-26 2026-07-02 open')
    expect(at('2026-06-12')[2]).toBe('week-26 2026-07-02 done 2026-06-12')
  })

  test('a missed step gives way when the next is overdue', () => {
    expect(short('anc', given, '2026-05-28').slice(0, 2)).toEqual([
      'week-12 2026-03-26 open',
      'week-20 2026-05-21 open',
    ])
    expect(short('anc', given, '2026-05-29').slice(0, 2)).toEqual([
      'week-12 2026-03-26 ended 2026-05-29',
      'week-20 2026-05-21 open',
    ])
  })

  test('steps that were over at the enrolment are not due, and nothing is after week 42', () => {
    expect(short('anc', { ...given, enrolledOn: '2026-06-01' }, '2026-06-01')[0]).toBe(
      'week-20 2026-05-21 open',
    )
    expect(short('anc', given, '2026-10-22').at(-1)).toBe('week-40 2026-10-08 ended 2026-10-22')
  })

  test('without the last period nothing is due', () => {
    expect(short('anc', facts(), '2026-10-22')).toEqual([])
  })
})

describe('immunization of children: age, and 28 days between doses', () => {
  const given = facts({ born: '2026-01-01', enrolledOn: '2026-01-01' })
  const dose = (vaccine: string, day: string) => ({ vaccine, day, visitId: null })
  const of = (vaccine: string, days: string[], today: string) =>
    short('epi', { ...given, doses: days.map((day) => dose(vaccine, day)) }, today).filter((item) =>
      item.startsWith(vaccine),
    )

  test.for([
    // six weeks of age are 12 February
    [['2026-02-11'], ['penta-1 2026-02-12 open']],
    [['2026-02-12'], ['penta-1 2026-02-12 done 2026-02-12', 'penta-2 2026-03-12 open']],
    [
      ['2026-02-12', '2026-03-11'],
      ['penta-1 2026-02-12 done 2026-02-12', 'penta-2 2026-03-12 open'],
    ],
    [['2026-02-20'], ['penta-1 2026-02-12 done 2026-02-20', 'penta-2 2026-03-20 open']],
    [
      ['2026-02-11', '2026-03-11', '2026-04-08', '2026-05-06'],
      [
        'penta-1 2026-02-12 done 2026-03-11',
        'penta-2 2026-04-08 done 2026-04-08',
        'penta-3 2026-05-06 done 2026-05-06',
      ],
    ],
  ])('doses on %j: %j', ([days, items]) => {
    expect(of('penta', days!, '2026-03-15')).toEqual(items)
  })

  test('a dose of birth has its days; after its limit a dose is lost', () => {
    expect(of('opv', [], '2026-01-16')).toEqual([
      'opv-0 2026-01-01 lost 2026-01-16',
      'opv-1 2026-02-12 open',
    ])
    expect(of('opv', ['2026-01-03'], '2026-01-16')[0]).toBe('opv-0 2026-01-01 done 2026-01-03')
    expect(of('rota', [], '2028-01-01')).toEqual([
      'rota-1 2026-02-12 lost 2028-01-01',
      'rota-2 2026-03-12 lost 2028-01-01',
    ])
  })
})

test('each program of the table has a code, in its order', () => {
  expect(PROGRAM_CODES).toEqual(PROGRAMS.map(({ code }) => code))
})

test('tuberculosis: six months from the start, lost after two without a visit', () => {
  const given = facts({ enrolledOn: '2026-01-01', visits: on('2026-01-01', '2026-02-02') })
  expect(short('tb', given, '2026-03-05')).toEqual([
    'month-1 2026-01-31 done 2026-02-02',
    'month-2 2026-03-02 open',
    'month-3 2026-04-01 open',
    'month-4 2026-05-01 open',
    'month-5 2026-05-31 open',
    'month-6 2026-06-30 open',
  ])
  expect(short('tb', given, '2026-04-02')[1]).toBe('month-2 2026-03-02 ended 2026-04-02')
  expect(short('tb', given, '2026-04-02')[2]).toBe('month-3 2026-04-01 lost 2026-04-02')
})

test('a program that an installation received later counts from that day; nobody is overdue because of it', () => {
  const given = facts({ enrolledOn: '2024-02-01', visits: on('2024-02-01', '2026-10-20') })
  const shown = (switched_on?: { version: string }) =>
    followUpItems(
      { ...schedule('asthma-copd-review'), ...(switched_on && { switched_on }) },
      given,
      '2026-11-30',
    ).map(({ due_on, status }) => `${due_on} ${status}`)
  expect(shown()).toEqual(['2024-05-01 done', '2027-01-18 open'])
  expect(shown({ version: '2026-11-29' })).toEqual(['2027-02-27 open'])
  // what the upgrade stores says nothing of the steps
  expect(
    scheduleInForce(schedule('asthma-copd-review'), { switched_on: { version: '2026-11-29' } }),
  ).toEqual({ ...schedule('asthma-copd-review'), switched_on: { version: '2026-11-29' } })
})

test.each([
  ['hiv-review', '2026-04-01', '2026-07-01 lost'],
  ['asthma-copd-review', '2026-04-01', '2026-07-01 open'],
  ['epilepsy-review', '2026-04-01', '2026-07-01 open'],
  ['mental-health-review', '2026-01-31', '2026-07-01 open'],
  ['malnutrition-review', '2026-01-08', '2026-07-01 open'],
])('%s: due on %s after a visit on 2026-01-01', (code, due, later) => {
  const given = facts({ visits: on('2026-01-01') })
  expect(short(code, given, '2026-01-02')).toContain(`visit ${due} open`)
  const [day, status] = later.split(' ') as [string, string]
  expect(followUpItems(schedule(code), given, day).at(-1)).toMatchObject({ due_on: due, status })
})

/** A date some days after the enrolment. */
const someDay = fc.integer({ min: 0, max: 420 }).map((days) => addDays('2026-01-01', days))
/** Below the first birthday: a later start has another interval. */
const infancy = fc.integer({ min: 0, max: 364 }).map((days) => addDays('2026-01-01', days))
const history = fc.record({
  visits: fc.uniqueArray(someDay, { maxLength: 6 }),
  appointments: fc.uniqueArray(someDay, { maxLength: 4 }),
  removals: fc.uniqueArray(someDay, { maxLength: 2 }),
  today: someDay,
})

/** The reviews by going through the days one after another, with one item in hand. */
function slowReviews({ visits, appointments, removals, today }: Slow): string[] {
  const made: string[] = []
  let since: string | undefined = '2026-01-01'
  let seen = since
  let isRemoved = false
  const due = (by: string) => {
    const booked = appointments
      .filter(({ day, madeAt }) => day > since! && madeAt.slice(0, 10) <= by)
      .toSorted((a, b) => (a.madeAt < b.madeAt ? 1 : -1))[0]
    return booked?.day ?? (isRemoved ? undefined : addDays(since!, 30))
  }
  const close = (day: string, status: string) => {
    const on = due(day)
    if (on) made.push(`visit ${on} ${status} ${day}`)
  }
  for (let day = addDays(since, 1); day <= '2027-12-31'; day = addDays(day, 1)) {
    if (visits.includes(day)) {
      close(day, 'done')
      ;[since, seen, isRemoved] = [day, day, false]
    } else if (removals.includes(day)) {
      close(day, 'removed')
      ;[since, isRemoved] = [day, true]
    }
  }
  const last = due('9999-12-31')
  if (last) {
    const lost = [addMonths(seen, 12), addDays(last, 1)].toSorted()[1]!
    made.push(lost <= today ? `visit ${last} lost ${lost}` : `visit ${last} open`)
  }
  return made
}
type Slow = {
  visits: string[]
  appointments: ReturnType<typeof appointment>[]
  removals: string[]
  today: string
}

test('reviews are what a walk through the days gives', () => {
  fc.assert(
    fc.property(history, ({ visits, appointments, removals, today }) => {
      const known = visits.toSorted()
      // booked ten days before, at the latest on the first day
      const booked = appointments.map((day, at) =>
        appointment(day, `${addDays(day, -10)}T10:0${at}`),
      )
      const given = facts({
        visits: on(...known),
        appointments: booked,
        calls: removals
          .toSorted()
          .map((day) => call(day, { result: 'removed_from_overdue_list', remindOn: null })),
      })
      expect(short('htn-review', given, today)).toEqual(
        slowReviews({ visits: known, appointments: booked, removals, today }),
      )
    }),
    { numRuns: 300 },
  )
})

test('doses are what a walk through the days gives', () => {
  const penta = schedule('epi').steps.filter(({ vaccine }) => vaccine === 'penta')
  fc.assert(
    fc.property(fc.uniqueArray(infancy, { maxLength: 8 }), (days) => {
      const slow: string[] = []
      let at = 0
      // the recommended day, and the first on which a dose counts
      let due = addDays('2026-01-01', 42)
      let earliest = due
      for (let day = '2026-01-01'; day <= '2027-12-31' && at < 3; day = addDays(day, 1)) {
        if (!days.includes(day) || day < earliest) continue
        slow.push(`${penta[at]!.code} ${due} done ${day}`)
        at += 1
        const age = addDays('2026-01-01', penta[at]?.days ?? 0)
        earliest = addDays(day, 28)
        due = [age, earliest].toSorted()[1]!
      }
      if (at < 3) slow.push(`${penta[at]!.code} ${due} open`)
      const given = facts({
        born: '2026-01-01',
        doses: days.map((day) => ({ vaccine: 'penta', day, visitId: null })),
      })
      const items = short('epi', given, '2027-12-31').filter((item) => item.startsWith('penta'))
      expect(items).toEqual(slow)
    }),
    { numRuns: 200 },
  )
})
