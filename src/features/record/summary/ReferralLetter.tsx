import {
  Allergies,
  CurrentMedicines,
  Immunizations,
  PregnancyOn,
  ProblemList,
  RelatedPersons,
  Vitals,
} from './SummaryParts'
import type { Summary } from './summary'
import { Facts, SheetPart, Sheet } from '~/ui/Sheet'
import classes from '~/ui/Sheet.module.css'
import { patientName } from '~/features/people/patients/patient'
import { PatientFacts } from '~/features/people/patients/card/PatientFacts'
import { PatientLine } from '~/features/people/patients/card/PatientLine'
import { clinicContactValues } from '~/records/clinic'
import { isCurrent } from '~/records/problem'
import { useSay } from '~/shared/say'
import { useComma } from '~/ui/comma'
import { Day } from '~/ui/Day'
import { Moment } from '~/ui/Moment'
import { RecordText } from '~/ui/RecordText'
import { spacedNumber } from '~/features/care/referrals/referral-number'
import type { WholeReferral } from '~/features/care/referrals/referrals.server'

type Props = { referral: WholeReferral; summary: Summary; organization: string }

/** The letter to the other facility, and the slip that comes back with its answer. */
export function ReferralLetter({ referral, summary, organization }: Props) {
  const say = useSay()
  const comma = useComma()
  const { to_name, urgency, reason, sent_at, due_on, clinic, recorded_by } = referral
  const { patient, problems } = summary
  const number = <bdi dir="ltr">{spacedNumber(referral.number)}</bdi>
  const slipLines = ['findings', 'diagnosis', 'treatment', 'comeBack'] as const
  const day = <Moment at={sent_at} dayOnly />
  return (
    <Sheet
      organization={organization}
      clinic={clinic}
      contact={clinicContactValues(referral)}
      title="paper.letter"
      aside={
        <>
          <b>{number}</b>
          <br />
          {day}
        </>
      }
      onEveryPage={<PatientLine name={patientName(patient)} patient={patient} day={day} />}
    >
      <Facts
        of={[
          ['referrals.to_name', <bdi key="to">{to_name}</bdi>],
          ['referrals.urgency', say(`referrals.${urgency}`)],
        ]}
      />
      <PatientFacts patient={patient} />
      <RelatedPersons {...summary} />
      <SheetPart title="referrals.reason">
        <p>
          <RecordText>{reason}</RecordText>
        </p>
      </SheetPart>
      <Allergies {...summary} />
      <PregnancyOn pregnancies={summary.pregnancies} on={sent_at} />
      <ProblemList problems={problems.filter(isCurrent)} />
      <CurrentMedicines {...summary} />
      <Vitals {...summary} />
      <Immunizations {...summary} />
      <div className={classes.signature}>
        <span>
          <bdi>{recorded_by ?? '—'}</bdi>
          {referral.recorded_by_role && ` (${say(`roles.${referral.recorded_by_role}`)})`}
        </span>
        <div className={classes.line}>{say('prescriptions.signature')}</div>
      </div>
      <section className={classes.slip}>
        <h3>{say('paper.slip')}</h3>
        <Facts
          of={[
            ['referrals.number', number],
            ['prescriptions.patient', <bdi key="patient">{patientName(patient) || '—'}</bdi>],
            [
              'paper.returnTo',
              <bdi key="clinic">
                {[clinic, ...clinicContactValues(referral)].filter(Boolean).join(comma)}
              </bdi>,
            ],
            ['referrals.due_on', due_on && <Day key="due" value={due_on} />],
          ]}
        />
        {slipLines.map((line) => (
          <div key={line}>
            {say(`paper.slip_${line}`)}
            <div className={classes.blank} />
          </div>
        ))}
        <div className={classes.signature}>
          <span>{say('paper.slip_day')}</span>
          <div className={classes.line}>{say('paper.slip_signed')}</div>
        </div>
      </section>
    </Sheet>
  )
}
