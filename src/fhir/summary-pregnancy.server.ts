import { loadPregnancyAnswers } from '~/features/care/pregnancies/pregnancies.server'
import { type CurrentPregnancyState, pregnancyOn } from '~/features/care/pregnancies/pregnancy'
import type { Context } from '~/server/operation'
import type { Message } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'
import { sentence } from '~/shared/sentence'
import { clinicToday } from '~/shared/zone'
import { LOINC } from '~/shared/loinc'
import { type Coding, concept, presentValues } from './parts'
import { compact, type Fhir, refer } from './resource'
import type { Filled, SummarySection } from './summary-section'
import { localizeResource } from './summary-words'

/** https://hl7.org/fhir/uv/ips/StructureDefinition-Observation-pregnancy-status-uv-ips.html */
const PREGNANCY = { system: LOINC, code: '82810-3', display: 'Pregnancy status' }
const DUE = { system: LOINC, code: '11778-8', display: 'Delivery date Estimated' }
const PREGNANCY_VALUES: Readonly<Record<Exclude<CurrentPregnancyState, 'not_known'>, Coding>> = {
  pregnant: { system: LOINC, code: 'LA15173-0', display: 'Pregnant' },
  not_pregnant: { system: LOINC, code: 'LA26683-5', display: 'Not pregnant' },
  after_birth: { system: LOINC, code: 'LA26683-5', display: 'Not pregnant' },
  // who breastfeeds was not asked whether she is pregnant
  breastfeeding: { system: LOINC, code: 'LA4489-6', display: 'Unknown' },
}

/** What holds today, by `pregnancyOn`: the status, and the due date of a dated pregnancy. */
export async function pregnancyNow(
  { db, actor }: Context,
  section: SummarySection,
  patientId: string,
): Promise<Filled> {
  const today = clinicToday()
  const answers = await loadPregnancyAnswers(db, patientId)
  const { state, weeks, dueOn, askedOn } = pregnancyOn(answers, today)
  // that a pregnancy must be over is no answer of anybody
  const isAnswered = state !== 'after_birth' || answers.some((answer) => answer.state === state)
  if (state === 'not_known' || !isAnswered) return { section, resources: [], isPartHidden: false }
  const say = (message: Message) => sentence(actor.language, message)
  const about = (id: string, code: Coding, name: MessageKey, more: object): Fhir => ({
    resourceType: 'Observation',
    ...compact({
      id: `${patientId}-${id}`,
      status: 'final',
      code: concept(say({ key: name }), code),
      subject: refer('Patient', patientId),
      effectiveDateTime: askedOn,
      ...more,
    }),
  })
  const words = say({ key: `pregnancies.states.${state}` })
  const due =
    dueOn === null ? null : about('due-date', DUE, 'pregnancies.due_on', { valueDateTime: dueOn })
  const status = about('pregnancy', PREGNANCY, 'pregnancies.title', {
    valueCodeableConcept: concept(words, PREGNANCY_VALUES[state]),
    hasMember: presentValues(due && refer('Observation', `${patientId}-due-date`)),
  })
  const line = [
    words,
    weeks !== null && say({ key: 'pregnancies.week', values: { weeks } }),
    dueOn && `${say({ key: 'pregnancies.due_on' })}: ${dueOn}`,
    askedOn && `${say({ key: 'pregnancies.asked' })} ${askedOn}`,
  ]
  return {
    section,
    resources: presentValues(status, due).map((each) => localizeResource(actor.language, each, {})),
    lines: [line.filter(Boolean).join(' · ')],
    isPartHidden: false,
  }
}
