import { useStepName } from '~/features/care/programs/StepName'
import { SheetPart, Sheet } from '~/ui/Sheet'
import { PatientFacts } from '~/features/people/patients/card/PatientFacts'
import { PatientLine } from '~/features/people/patients/card/PatientLine'
import { patientName } from '~/features/people/patients/patient'
import type { Patient } from '~/features/people/patients/patients.server'
import { useSay } from '~/shared/say'
import { Day } from '~/ui/Day'
import { usePlanSentences } from './ImmunizationPlan'
import type { Immunization, PatientImmunizationPlan } from './immunizations.server'
import { doseName } from './PatientImmunizations'
import { NotCounted } from './NotCounted'

type Props = {
  patient: Patient
  immunizations: readonly Immunization[]
  plan: PatientImmunizationPlan
  organization: string
}

/** The doses of a patient and the next ones on paper, to take home. */
export function ImmunizationCard({ patient, immunizations, plan, organization }: Props) {
  const say = useSay()
  const stepName = useStepName()
  const sentences = usePlanSentences(plan)
  const day = <Day value={plan.today} />
  return (
    <Sheet
      organization={organization}
      title="immunizations.card"
      aside={day}
      onEveryPage={<PatientLine name={patientName(patient)} patient={patient} day={day} />}
    >
      <PatientFacts patient={patient} />
      {sentences.map((text) => (
        <p key={text}>{text}</p>
      ))}
      {plan.later.length > 0 && (
        <SheetPart title="immunizations.nextDoses">
          <ul>
            {plan.later.map(({ step, due_on }) => (
              <li key={step}>
                <Day value={due_on} /> · {stepName(step)}
              </li>
            ))}
          </ul>
        </SheetPart>
      )}
      <SheetPart title="immunizations.given">
        {immunizations.length === 0 ? (
          <p>{say('immunizations.empty')}</p>
        ) : (
          <ul>
            {immunizations.map((dose) => (
              <li key={dose.id}>
                <Day value={dose.given_on} /> · <bdi>{doseName(dose, say)}</bdi>
                {dose.lot && (
                  <>
                    {' · '}
                    <bdi>{dose.lot}</bdi>
                  </>
                )}
                {dose.not_counted.length > 0 && (
                  <>
                    {' · '}
                    <NotCounted verdicts={dose.not_counted} />
                  </>
                )}
              </li>
            ))}
          </ul>
        )}
      </SheetPart>
    </Sheet>
  )
}
