import { Text } from '@mantine/core'
import { type ReactNode, use } from 'react'
import { api } from '~/client/api'
import { useQuery } from '~/client/query'
import { saveAsking } from '~/features/rules/earlier/save-asking'
import { date, select } from '~/fields/field'
import { enrollmentRecord } from '~/records/enrollment'
import type { MessageKey } from '~/shared/language'
import { useToday } from '~/ui/clock'
import { FormContext } from '~/ui/FormField'
import { RecordDialog } from '~/ui/RecordDialog'
import { PROGRAM_CODES } from './program-codes'
import { outcomeMeaning, outcomesOfProgram, PREGNANCY, PROGRAMS } from './programs'
import type { ListedEnrollment } from './programs.server'
import { useLanguage } from '~/shared/say'

const { clinic_id, enrolled_on, lmp, review_days } = enrollmentRecord.fields
const shared = { clinic_id, enrolled_on, lmp, review_days }
const added = {
  program: select('programs.program', PROGRAM_CODES, (): MessageKey => 'programs.program'),
  ...shared,
}

type Props = { patientId: string; row?: ListedEnrollment; onClose: () => void }

/** Enrolls the patient by hand, or corrects an enrollment. */
export function EnrollmentDialog({ patientId, row, onClose }: Props) {
  const language = useLanguage()
  const today = useToday()
  const { data: clinics = [] } = useQuery('clinics.names', {})
  const options = {
    clinic_id: clinics.map(({ id, name }) => ({ value: id, label: { text: name } })),
    program: PROGRAMS.map(({ code, names }) => ({ value: code, label: { text: names[language] } })),
  }
  if (row)
    return (
      <RecordDialog
        title="programs.edit"
        size="md"
        fields={shared}
        record={row}
        options={options}
        onSave={(values, { id, last_modified }) =>
          api.programs.save({
            ...values,
            id,
            last_modified,
            patient_id: patientId,
            ended_on: row.ended_on,
            end_reason: row.end_reason,
          })
        }
        saved={() => 'common.saved'}
        onClose={onClose}
      >
        {(Field) => (
          <>
            <Field name="clinic_id" />
            <Field name="enrolled_on" />
            {row.program === PREGNANCY ? <Field name="lmp" /> : null}
            <Field name="review_days" />
          </>
        )}
      </RecordDialog>
    )
  return (
    <RecordDialog
      title="programs.enroll"
      size="md"
      fields={added}
      suggested={{
        enrolled_on: today,
        clinic_id: clinics.length === 1 ? clinics[0]!.id : undefined,
      }}
      options={options}
      submit="programs.enroll"
      onSave={(values, { id }) =>
        saveAsking((confirmed) =>
          api.programs.enroll({ ...values, id, patient_id: patientId, confirmed }),
        )
      }
      saved={() => 'programs.enrolledDone'}
      onClose={onClose}
    >
      {(Field) => (
        <>
          <Field name="program" />
          <Field name="clinic_id" />
          <Field name="enrolled_on" />
          <OfPregnancy>
            <Field name="lmp" />
          </OfPregnancy>
          <Field name="review_days" />
        </>
      )}
    </RecordDialog>
  )
}

function OfPregnancy({ children }: { children: ReactNode }) {
  const form = use(FormContext)
  return form?.draft['program'] === PREGNANCY ? children : null
}

/** Ends an enrollment, in the words of its program. It can be opened again. */
export function EndDialog({ row, onClose }: { row: ListedEnrollment; onClose: () => void }) {
  const today = useToday()
  const [first, ...more] = outcomesOfProgram(row.program)
  const ending = {
    ended_on: date('programs.endedOn'),
    end_reason: select(
      'programs.endReason',
      [first!, ...more],
      (reason): MessageKey => `programs.end_${reason}`,
    ),
  }
  return (
    <RecordDialog
      title="programs.end"
      size="md"
      fields={ending}
      suggested={{ ended_on: today }}
      submit="programs.end"
      onSave={(values) => api.programs.end({ ...values, id: row.id })}
      saved={() => 'programs.endedDone'}
      onClose={onClose}
    >
      {(Field) => (
        <>
          <Field name="ended_on" />
          <Field name="end_reason" />
          <OutcomeMeaning program={row.program} />
        </>
      )}
    </RecordDialog>
  )
}

/** What the chosen outcome means, where the source of the program defines it. */
function OutcomeMeaning({ program }: { program: string }) {
  const form = use(FormContext)
  const language = useLanguage()
  const reason = form?.draft['end_reason']
  const meaning = outcomeMeaning(program, typeof reason === 'string' ? reason : '', language)
  return meaning ? (
    <Text component="output" display="block" size="sm" c="dimmed">
      {meaning}
    </Text>
  ) : null
}
