import { isActiveAllergy } from '~/records/allergy'
import { AllergyWords } from '~/features/medicines/prescriptions/AllergyWords'
import { doseName } from '~/features/care/immunizations/PatientImmunizations'
import type { Immunization } from '~/features/care/immunizations/immunizations.server'
import { pregnancyOn } from '~/features/care/pregnancies/pregnancy'
import { PregnancyText } from '~/features/care/pregnancies/PregnancyText'
import { FormerWords, problemName } from '~/features/care/problems/ProblemStatus'
import type { Problem } from '~/features/care/problems/problems.server'
import { UNIT_OF, VitalValue } from '~/features/care/vitals/VitalValue'
import type { LatestVital } from '~/features/care/vitals/vitals.server'
import { SheetPart } from '~/ui/Sheet'
import classes from '~/ui/Sheet.module.css'
import { drugTitle } from '~/features/medicines/drugs/drug'
import type { DetailedPrescription } from '~/features/medicines/prescriptions/listing.server'
import { doseText } from '~/features/medicines/prescriptions/writing/dose'
import { emptyWords, medicineWords } from '~/features/medicines/taken/medicine-words'
import { useTimeZone } from 'use-intl'
import { useSay, useLanguage } from '~/shared/say'
import { dayIn } from '~/shared/zone'
import { useNow } from '~/ui/clock'
import { Day, useDayText } from '~/ui/Day'
import { EnteredLater } from '~/ui/EnteredLater'
import { Moment } from '~/ui/Moment'
import { RecordText } from '~/ui/RecordText'
import type { Summary } from './summary'

const DAY_MS = 86_400_000

export function Allergies({ allergies }: Pick<Summary, 'allergies'>) {
  return (
    <SheetPart title="allergies.title">
      <p>
        <AllergyWords allergies={allergies.filter(isActiveAllergy)} />
      </p>
    </SheetPart>
  )
}

/** Family and contact persons. Paper leaves out linked patients that the user has no access to. */
export function RelatedPersons({ relatedPersons }: Pick<Summary, 'relatedPersons'>) {
  const say = useSay()
  const named = relatedPersons.filter(({ other, name }) => other !== null || name !== null)
  if (named.length === 0) return null
  return (
    <SheetPart title="relatedPersons.title">
      <ul>
        {named.map(({ id, relationship, other, name, phone, notes }) => {
          const number = other ? other.phone : phone
          return (
            <li key={id}>
              {say(`relatedPersons.is_${relationship}`)}:{' '}
              <bdi>{(other ? other.name : name) || say('patientPage.noName')}</bdi>
              {number && (
                <>
                  {' · '}
                  <bdi dir="ltr">{number}</bdi>
                </>
              )}
              {notes && (
                <>
                  {' · '}
                  <RecordText>{notes}</RecordText>
                </>
              )}
            </li>
          )
        })}
      </ul>
    </SheetPart>
  )
}

/** On the day of the sheet; nothing if nothing is known of that day. */
export function PregnancyOn({ pregnancies, on }: Pick<Summary, 'pregnancies'> & { on: Date }) {
  const { state, weeks, dueOn, askedOn } = pregnancyOn(
    pregnancies,
    dayIn(on, useTimeZone() ?? 'UTC'),
  )
  const say = useSay()
  if (state === 'not_known') return null
  return (
    <SheetPart title="pregnancies.title">
      <p>
        <PregnancyText state={state} weeks={weeks} askedOn={askedOn} />
        {dueOn && (
          <>
            {' · '}
            {say('pregnancies.due_on')}: <Day value={dueOn} />
          </>
        )}
      </p>
    </SheetPart>
  )
}

/** Each with its code, which means the same in every language. */
export function ProblemList({ problems }: { problems: readonly Problem[] }) {
  const say = useSay()
  const language = useLanguage()
  if (problems.length === 0) return null
  return (
    <SheetPart title="patientPage.problems">
      <ul>
        {problems.map((problem) => (
          <li key={problem.id}>
            <bdi>{problemName(problem, language)}</bdi>{' '}
            <bdi className={classes.dim} dir="ltr">
              {problem.problem_code}
            </bdi>
            {problem.laterality && ` · ${say(`problems.side_${problem.laterality}`)}`}
            {problem.verification_status !== 'confirmed' &&
              ` · ${say(`problems.${problem.verification_status}`)}`}
            {problem.clinical_status !== 'active' &&
              ` · ${say(`problems.${problem.clinical_status}`)}`}
            {problem.former_words && ' · '}
            <FormerWords problem={problem} />
            {problem.onset_date && (
              <>
                {' · '}
                {say('paper.since')} <Day value={problem.onset_date} />
              </>
            )}
          </li>
        ))}
      </ul>
    </SheetPart>
  )
}

type MedicinesProps = {
  prescriptions: readonly DetailedPrescription[]
  /** How many more prescriptions there are. */
  more?: number
}

/** What was prescribed. */
export function Medicines({ prescriptions, more = 0 }: MedicinesProps) {
  const say = useSay()
  const items = prescriptions.flatMap((prescription) =>
    prescription.items
      .filter(({ item_status }) => item_status !== 'cancelled')
      .map((item) => ({ ...item, prescribed_at: prescription.prescribed_at })),
  )
  if (items.length === 0) return null
  return (
    <SheetPart title="prescriptions.medications">
      <ul>
        {items.map((item) => (
          <li key={item.id}>
            <b>{drugTitle(item, say)}</b>:{' '}
            <RecordText>
              {item.dose ? doseText(item.dose, item, say) : item.dosage_instructions}
            </RecordText>{' '}
            <span className={classes.dim}>
              (<Moment at={item.prescribed_at} dayOnly />)
            </span>
          </li>
        ))}
      </ul>
      {more > 0 && <p>{say({ key: 'paper.morePrescriptions', values: { count: more } })}</p>}
    </SheetPart>
  )
}

/** What the patient takes now, from here and from elsewhere; always there, because its absence would read as "none". */
export function CurrentMedicines({ medicines }: Pick<Summary, 'medicines'>) {
  const say = useSay()
  const dayText = useDayText()
  return (
    <SheetPart title="medicines.current">
      {medicines.rows.length === 0 ? (
        <p>{say(emptyWords(medicines))}</p>
      ) : (
        <ul>
          {medicines.rows.map((medicine) => {
            const { title, dose, notes } = medicineWords(medicine, say, dayText)
            return (
              <li key={medicine.id}>
                <b>
                  <bdi>{title}</bdi>
                </b>
                {dose && (
                  <>
                    : <RecordText>{dose}</RecordText>
                  </>
                )}{' '}
                {notes.length > 0 && <span className={classes.dim}>({notes.join(' · ')})</span>}
              </li>
            )
          })}
        </ul>
      )}
    </SheetPart>
  )
}

/** The decisions about the current medicines at the visit; nothing if nobody decided anything. */
export function MedicineDecisions({ reconciliation }: Pick<Summary, 'reconciliation'>) {
  const say = useSay()
  if (!reconciliation || reconciliation.listed === null) return null
  const { decided, asked, listed } = reconciliation
  return (
    <SheetPart title="reconciliations.title">
      <p>{say({ key: 'reconciliations.progress', values: { asked, of: listed } })}</p>
      <ul>
        {decided.map((decision) => (
          <li key={decision.id}>
            <b>
              <bdi>{decision.name}</bdi>
            </b>
            {': '}
            {say(`reconciliations.decision_${decision.decision}`)}
            {decision.reason && (
              <>
                {' · '}
                <RecordText>{decision.reason}</RecordText>
              </>
            )}
          </li>
        ))}
      </ul>
    </SheetPart>
  )
}

const isUpper = ({ measure }: LatestVital) => measure === 'systolic_bp'

/** The last value of each vital sign, not older than `days`. */
export function Vitals({ vitals, days = 90 }: { vitals: readonly LatestVital[]; days?: number }) {
  const say = useSay()
  const since = useNow().getTime() - days * DAY_MS
  const recent = vitals.filter(({ timestamp }) => timestamp.getTime() >= since)
  if (recent.length === 0) return null
  const lower = recent.find(({ measure }) => measure === 'diastolic_bp')
  return (
    <SheetPart title="patientPage.vitals">
      <ul>
        {recent
          .filter((one) => one !== lower || !recent.some(isUpper))
          .map((one) => (
            <li key={one.measure}>
              {say(isUpper(one) ? 'vitals.blood_pressure' : `vitals.${one.measure}`)}:{' '}
              <VitalValue
                values={isUpper(one) ? [one.value, lower?.value ?? null] : [one.value]}
                unit={UNIT_OF[one.measure]}
              />{' '}
              <span className={classes.dim}>
                (<Moment at={one.timestamp} dayOnly />)
              </span>
              <EnteredLater on={one.entered_on} by={one.recorded_by} />
            </li>
          ))}
      </ul>
    </SheetPart>
  )
}

export function Immunizations({ immunizations }: { immunizations: readonly Immunization[] }) {
  const say = useSay()
  if (immunizations.length === 0) return null
  return (
    <SheetPart title="immunizations.title">
      <ul>
        {immunizations.map((dose) => (
          <li key={dose.id}>
            <bdi>{doseName(dose, say)}</bdi> · <Day value={dose.given_on} />
            {dose.lot && (
              <>
                {' · '}
                <bdi>{dose.lot}</bdi>
              </>
            )}
          </li>
        ))}
      </ul>
    </SheetPart>
  )
}
