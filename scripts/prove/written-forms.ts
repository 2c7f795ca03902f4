import { namedDrug } from '~/features/medicines/prescriptions/check/medicine-names.server'
import set from '~/features/medicines/safety/tables/kept-aside.json'
import { type KnownAllergy, findWarnings } from '~/features/medicines/safety/warnings'
import { WrongUsage } from '../command'
import { interval, percent, type Proof } from './proof'

const HALVES = ['fit', 'kept'] as const
type Half = (typeof HALVES)[number]

type Judged = {
  role: string
  language: string
  expect: string
  half: Half
  written: string
  against: string
  /** The check warns of the allergy. */
  isWarned: boolean
  /** The check names the written form as not checked. */
  isUnchecked: boolean
  /** The check neither warns nor names anything as not checked. */
  isSilent: boolean
}

/** As a phone or an older version stores an allergy: in the writer's words. */
const allergyTo = (substance: string): KnownAllergy => ({
  id: 'allergy',
  substance,
  substance_kind: 'other',
  substance_code: null,
  reaction: null,
  severity: null,
})

/** Every written form of the set as the safety check reads it, with an empty catalogue of medicines. */
export const judgeForms = (): Judged[] =>
  set.groups.flatMap(({ role, language, expect, rows }) =>
    rows.map(([written = '', , , against = '', half]) => {
      const [medicine, allergy] = role === 'medicine' ? [written, against] : [against, written]
      const warnings = findWarnings([namedDrug({ name: medicine })], [], [allergyTo(allergy)])
      const isOfWritten = (about?: string) => (role === 'allergy') === (about !== undefined)
      return {
        role,
        language,
        expect,
        written,
        against,
        half: half as Half,
        isWarned: warnings.some(({ kind }) => kind === 'allergy'),
        isUnchecked: warnings.some(
          (warning) => warning.kind === 'unchecked' && isOfWritten(warning.allergy),
        ),
        isSilent: warnings.length === 0,
      }
    }),
  )

/** The counts of a part of the set. A miss that is not named as unchecked is the harmful one. */
export function countForms(judged: readonly Judged[]) {
  const ofExpected = (expect: string) => judged.filter((one) => one.expect === expect)
  const count = (some: readonly Judged[], is: (one: Judged) => boolean) => some.filter(is).length
  const toWarn = ofExpected('warning')
  const toLeave = judged.filter(({ expect }) => expect !== 'warning')
  return {
    toWarn: toWarn.length,
    warned: count(toWarn, ({ isWarned }) => isWarned),
    missedInSilence: count(toWarn, ({ isSilent }) => isSilent),
    toLeave: toLeave.length,
    falseWarnings: count(toLeave, ({ isWarned }) => isWarned),
    toMark: ofExpected('unchecked').length,
    marked: count(ofExpected('unchecked'), ({ isUnchecked }) => isUnchecked),
  }
}

const GOALS = { warned: 0.9, falseWarnings: 0.02 }

export const writtenForms: Proof = {
  summary: 'written allergies and medicines kept aside: warned of, missed, false warnings',
  async run(args) {
    if (args.some((arg) => arg !== '--rows'))
      throw new WrongUsage('npm run prove -- written-forms [--rows]: lists each wrong row')
    const judged = judgeForms()
    const parts: [string, readonly Judged[]][] = [
      ['all', judged],
      ...HALVES.map((half): [string, Judged[]] => [
        half,
        judged.filter((one) => one.half === half),
      ]),
    ]
    for (const [name, part] of parts) {
      const { toWarn, warned, missedInSilence, toLeave, falseWarnings, toMark, marked } =
        countForms(part)
      process.stdout.write(
        `${name}: ${share(warned, toWarn)} warned of, ${missedInSilence} missed and not named as unchecked; ` +
          `${share(falseWarnings, toLeave)} false warnings; ${share(marked, toMark)} named as unchecked\n`,
      )
    }
    if (args.includes('--rows'))
      for (const one of judged.filter(isWrong)) process.stdout.write(formatJudged(one))
    const { toWarn, warned, missedInSilence, toLeave, falseWarnings } = countForms(judged)
    const isKept =
      warned / toWarn >= GOALS.warned &&
      falseWarnings / toLeave <= GOALS.falseWarnings &&
      missedInSilence === 0
    return isKept ? 0 : 1
  },
}

const isWrong = ({ expect, isWarned, isUnchecked }: Judged) =>
  isWarned !== (expect === 'warning') || (expect === 'unchecked' && !isUnchecked)

const formatJudged = ({
  half,
  role,
  language,
  expect,
  written,
  against,
  isWarned,
  isUnchecked,
}: Judged) =>
  `  ${half} ${role} ${language}: ${written} | ${against}: expected ${expect}, ` +
  `${isWarned ? 'warned' : isUnchecked ? 'unchecked' : 'silent'}\n`

const share = (some: number, all: number) =>
  `${some} of ${all}, ${percent(some / all)}${interval(some / all, all)}`
