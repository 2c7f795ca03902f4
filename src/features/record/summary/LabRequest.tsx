import { Checkbox, SimpleGrid, Textarea } from '@mantine/core'
import { SheetPart, Sheet } from '~/ui/Sheet'
import classes from '~/ui/Sheet.module.css'
import { patientName } from '~/features/people/patients/patient'
import { PatientFacts } from '~/features/people/patients/card/PatientFacts'
import { PatientLine } from '~/features/people/patients/card/PatientLine'
import type { Patient } from '~/features/people/patients/patients.server'
import type { WholeVisit } from '~/features/record/visits/visits.server'
import { clinicContactValues } from '~/records/clinic'
import { useSay } from '~/shared/say'
import { Moment } from '~/ui/Moment'
import { RecordText } from '~/ui/RecordText'

/** What a primary care laboratory usually does. */
const TESTS = [
  'haemoglobin',
  'bloodCount',
  'malaria',
  'glucose',
  'hba1c',
  'creatinine',
  'electrolytes',
  'liver',
  'lipids',
  'crp',
  'bloodGroup',
  'urineDipstick',
  'urineMicroscopy',
  'pregnancyTest',
  'stool',
  'hiv',
  'syphilis',
  'hepatitisB',
  'hepatitisC',
  'sputum',
] as const
type LabTest = (typeof TESTS)[number]
export type WantedTests = { tests: readonly LabTest[]; other: string }

type ChoicesProps = { wanted: WantedTests; onChange: (wanted: WantedTests) => void }

/** What is asked of the laboratory: chosen on the screen and printed, not stored. */
export function LabChoices({ wanted, onChange }: ChoicesProps) {
  const say = useSay()
  return (
    <Checkbox.Group
      label={say('paper.tests')}
      value={[...wanted.tests]}
      onChange={(chosen) =>
        onChange({ ...wanted, tests: TESTS.filter((test) => chosen.includes(test)) })
      }
    >
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="xs" my="xs">
        {TESTS.map((test) => (
          <Checkbox key={test} value={test} label={say(`paper.test_${test}`)} />
        ))}
      </SimpleGrid>
      <Textarea
        label={say('paper.otherTests')}
        value={wanted.other}
        onChange={(event) => onChange({ ...wanted, other: event.currentTarget.value })}
        autosize
        maxLength={1000}
        dir="auto"
      />
    </Checkbox.Group>
  )
}

type Props = {
  patient: Patient
  visit: WholeVisit
  wanted: WantedTests
  organization: string
}

/** To write in by hand. */
const EMPTY = '\u00a0'
const BLANKS = Array.from({ length: 6 }, (_, at) => EMPTY.repeat(at + 1))

/** A request to a laboratory: the tests, why, and lines for the results. */
export function LabRequest({ patient, visit, wanted, organization }: Props) {
  const say = useSay()
  const others = wanted.other.split('\n').filter((line) => line.trim() !== '')
  const names = [...wanted.tests.map((test) => say(`paper.test_${test}`)), ...others]
  const lines = names.length > 0 ? [...new Set(names)] : BLANKS
  const problems = visit.problems.map(({ problem_label, problem_code }) =>
    [problem_label, problem_code].filter(Boolean).join(' '),
  )
  const day = <Moment at={visit.check_in_timestamp} dayOnly />
  return (
    <Sheet
      organization={organization}
      clinic={visit.clinic}
      contact={clinicContactValues(visit)}
      title="paper.labRequest"
      aside={day}
      onEveryPage={<PatientLine name={patientName(patient)} patient={patient} day={day} />}
      signed={<bdi>{visit.provider_name || say('visits.noProvider')}</bdi>}
    >
      <PatientFacts patient={patient} />
      {(visit.reason || problems.length > 0) && (
        <SheetPart title="paper.clinicalInformation">
          <p>
            <RecordText>{[visit.reason, ...problems].filter(Boolean).join('\n')}</RecordText>
          </p>
        </SheetPart>
      )}
      <SheetPart title="paper.tests">
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">{say('paper.test')}</th>
              <th scope="col">{say('paper.result')}</th>
              <th scope="col">{say('paper.unitAndRange')}</th>
            </tr>
          </thead>
          <tbody>
            {lines.map((name) => (
              <tr key={name}>
                <td>
                  <bdi>{name}</bdi>
                </td>
                <td className={classes.room}>{EMPTY}</td>
                <td className={classes.room}>{EMPTY}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </SheetPart>
      <SheetPart title="paper.specimen">
        <div className={classes.blank} />
      </SheetPart>
    </Sheet>
  )
}
