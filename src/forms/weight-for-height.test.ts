import { describe, expect, test } from 'vitest'
import type { Sex } from '~/fields/sex'
import { valueAt } from '~/shared/lms'
import { tabulatedHeights, lmsAtHeight, weightForHeight } from './weight-for-height'

/** Median and S of WHO's own file (github.com/WorldHealthOrganization/anthro, wflanthro.txt): boys lying down. */
const BOYS_LYING = `45 2.441 0.09182;46.5 2.6913 0.09094;48 2.948 0.09007;50 3.3278 0.0889;52.5 3.8814 0.08741;
55 4.5467 0.08592;57.5 5.2721 0.08455;60 5.9907 0.08342;62.5 6.6527 0.08266;65 7.2666 0.08223;67.5 7.8526 0.08212;
70 8.4227 0.08229;72.5 8.9788 0.08262;75 9.5032 0.08295;77.5 9.9902 0.08317;80 10.4475 0.08308;82.5 10.935 0.0826;
85 11.5007 0.08181;87.5 12.1152 0.08096;90 12.7209 0.08041;92.5 13.3075 0.08025`
/** The same of wfhanthro.txt: girls standing. */
const GIRLS_STANDING = `90.5 12.77 0.08915;93 13.3896 0.08944;95 13.8914 0.08975;97.5 14.5376 0.09026;
100 15.2246 0.09088;102.5 15.9707 0.09161;105 16.78 0.09243;107.5 17.6567 0.09333;
110 18.6043 0.09428;112.5 19.6116 0.09527;115 20.6629 0.09626;117.5 21.737 0.09727;120 22.8173 0.09828`

/** Children of the survey of WHO's igrowup software, with the z-scores that igrowup computes. */
const SURVEY: [day: number, sex: Sex, kg: number, cm: number, 'lying' | 'standing', z: number][] = [
  [90, 'female', 4.5, 60.4, 'lying', -3.26],
  [64, 'male', 4.1, 56, 'lying', -1.99],
  [158, 'male', 6.5, 65.7, 'lying', -1.67],
  [701, 'female', 9.5, 83.7, 'lying', -1.59],
  [473, 'male', 8.7, 76.2, 'lying', -1.39],
  [899, 'male', 11.7, 89.2, 'standing', -1.03],
  [1716, 'female', 27.5, 110.4, 'lying', 4.05],
  [417, 'male', 14.2, 81.3, 'lying', 3.28],
  [1610, 'male', 21.5, 104.4, 'standing', 2.89],
  [1067, 'male', 17, 93, 'standing', 2.68],
  [1335, 'male', 15.4, 103.8, 'standing', -0.81],
  [37, 'female', 5, 56.3, 'lying', 0.23],
  [0, 'male', 3.3, 49.2, 'lying', 0.45],
  [1037, 'female', 16, 93.1, 'standing', 1.91],
]

describe('weight for length and height', () => {
  test('has the numbers that WHO publishes, to the digit', () => {
    const check = (sex: Sex, position: 'lying' | 'standing', l: number, entries: string) => {
      for (const entry of entries.split(';')) {
        const [cm = 0, m = 0, s = 0] = entry.trim().split(' ').map(Number)
        expect(lmsAtHeight(sex, position, cm)).toEqual({ l, m, s })
      }
    }
    check('male', 'lying', -0.3521, BOYS_LYING)
    check('female', 'standing', -0.3833, GIRLS_STANDING)
    for (const sex of ['male', 'female'] as const) {
      expect(tabulatedHeights(sex, 'lying')).toHaveLength(131)
      expect(tabulatedHeights(sex, 'standing')).toHaveLength(111)
    }
  })

  test('of a child standing is that of the same child 0.7 cm longer lying down', () => {
    for (const sex of ['male', 'female'] as const)
      for (const cm of tabulatedHeights(sex, 'standing').filter((height) => height < 109)) {
        const [standing, lying] = [
          lmsAtHeight(sex, 'standing', cm),
          lmsAtHeight(sex, 'lying', cm + 0.7),
        ]
        expect(Math.abs(standing!.m - lying!.m)).toBeLessThan(0.0006)
        expect(valueAt(standing!, -3)).toBeLessThan(valueAt(standing!, -2))
      }
  })

  test.each(SURVEY)(
    'at %i days of a %s of %f kg and %f cm %s is %f',
    (day, sex, kg, cm, position, z) => {
      const found = weightForHeight({ weight_kg: kg, height_cm: cm, position, day }, sex)
      expect(Math.abs(found!.z - z)).toBeLessThan(0.011)
    },
  )

  test('is nothing from five years on, before birth and outside of the tables', () => {
    const at = (day: number, height_cm: number) =>
      weightForHeight({ weight_kg: 10, height_cm, position: null, day }, 'male')
    expect(at(1857, 100)).toBeUndefined()
    expect(at(-1, 80)).toBeUndefined()
    expect(at(100, 44.9)).toBeUndefined()
    expect(at(900, 64.9)).toBeUndefined()
    expect(at(900, 120)).toBeDefined()
    expect(at(900, 120.1)).toBeUndefined()
  })
})
