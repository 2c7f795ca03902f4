import { describe, expect, test } from 'vitest'
import { usableWeight, type Weighed } from './usable-weight'

const at = (day: string) => new Date(`${day}T09:00:00Z`)
const weighed = (kg: number, day: string, isConfirmed = false): Weighed => ({
  kg,
  at: at(day),
  isConfirmed,
})
const baby = { birth: { day: '2026-03-10', precision: 'day' }, sex: 'female' } as const
const adult = { birth: { day: '1980-01-01', precision: 'day' }, sex: 'male' } as const

describe('the weight that may be used', () => {
  test('is the newest one that is no evident mistake, and the newest mistake is named', () => {
    const [right, wrong] = [weighed(7.4, '2026-10-10'), weighed(75, '2026-11-12')]
    expect(usableWeight(baby, [wrong, right])).toEqual({
      weight: right,
      unusable: { ...wrong, why: 'implausible' },
    })
    expect(usableWeight(baby, [right])).toEqual({ weight: right, unusable: null })
    expect(usableWeight(baby, [wrong])).toMatchObject({ weight: null })
    expect(usableWeight(baby, [])).toEqual({ weight: null, unusable: null })
  })

  test.for([
    [baby, 75, 'implausible'],
    [baby, 19, 'implausible'],
    [baby, 0.75, 'implausible'],
    [baby, 0, 'impossible'],
    [adult, 700, 'impossible'],
    // 7.0 for 70: less than a child of ten years can weigh
    [adult, 7, 'implausible'],
    [{ ...adult, birth: null }, 700, 'impossible'],
  ] as const)(
    'is never one beyond the flags, not even confirmed: %o, %d kg',
    ([whose, kg, why]) => {
      expect(usableWeight(whose, [weighed(kg, '2026-11-12', true)])).toMatchObject({
        weight: null,
        unusable: { why },
      })
    },
  )

  test('is none of a day before the birth, nor of the future', () => {
    for (const day of ['2026-03-01', '2099-01-01'])
      expect(usableWeight(baby, [weighed(7.4, day)])).toMatchObject({
        weight: null,
        unusable: { why: 'date' },
      })
  })

  test('of an adult is no unusual change that nobody confirmed; an older weight may no longer be true', () => {
    const [before, now] = [weighed(70, '2026-10-01'), weighed(60, '2026-11-12')]
    expect(usableWeight(adult, [now, before])).toEqual({
      weight: null,
      unusable: { ...now, why: 'unconfirmed', before: 70 },
    })
    const confirmed = { ...now, isConfirmed: true }
    expect(usableWeight(adult, [confirmed, before])).toEqual({ weight: confirmed, unusable: null })
    // a mistake is no weight to compare with
    const mistake = weighed(7, '2026-10-20')
    expect(usableWeight(adult, [now, mistake, weighed(61, '2026-10-01')]).weight).toEqual(now)
    expect(usableWeight(adult, [now, weighed(70, '2026-06-01')]).weight).toEqual(now)
  })

  test('of a child is no unusual change either: pounds for kilograms, a digit twice', () => {
    const child = { birth: { day: '2015-06-01', precision: 'day' }, sex: 'male' } as const
    const before = weighed(33, '2026-11-11')
    for (const kg of [330, 72.8, 3.3 * 8])
      expect(usableWeight(child, [weighed(kg, '2026-11-12'), before]).weight).toBeNull()
    const grown = weighed(35, '2026-11-12')
    expect(usableWeight(child, [grown, before]).weight).toEqual(grown)
  })

  test('does not confirm itself by coming twice', () => {
    const now = [weighed(90, '2026-11-13'), weighed(90, '2026-11-12'), weighed(70, '2026-11-10')]
    expect(usableWeight(adult, now)).toMatchObject({
      weight: null,
      unusable: { why: 'unconfirmed', before: 70 },
    })
    const confirmed = weighed(90, '2026-11-12', true)
    expect(usableWeight(adult, [now[0]!, confirmed, now[2]!]).weight).toEqual(now[0])
  })

  test('is judged by every age that is possible, and by either sex where it is unknown', () => {
    const about = { birth: { day: '2025-07-01', precision: 'age' }, sex: null } as const
    expect(usableWeight(about, [weighed(15, '2026-11-12')]).weight).not.toBeNull()
    expect(usableWeight(about, [weighed(75, '2026-11-12')]).weight).toBeNull()
    expect(
      usableWeight({ birth: null, sex: null }, [weighed(75, '2026-11-12')]).weight,
    ).not.toBeNull()
  })
})
