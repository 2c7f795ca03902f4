import { SimpleGrid } from '@mantine/core'
import { api } from '~/client/api'
import { saveAsking } from '~/features/rules/earlier/save-asking'
import { referralRecord } from '~/records/referral'
import { RecordDialog } from '~/ui/RecordDialog'
import type { Referral } from './referrals.server'

type Stored = Pick<
  Referral,
  keyof typeof referralRecord.fields | 'id' | 'last_modified' | 'visit_id'
>
type Props = {
  patientId: string
  referral?: Stored
  /** The open visit: a new referral belongs to it. */
  visit?: { id: string }
  onClose: () => void
}

/** Refers a patient, changes the referral, or records the reply. */
export const ReferralDialog = ({ patientId, referral, visit, onClose }: Props) => (
  <RecordDialog
    title={referral ? 'referrals.edit' : 'referrals.add'}
    fields={referralRecord.fields}
    record={referral}
    suggested={{ status: 'sent', urgency: 'routine' }}
    onSave={(values, version) =>
      saveAsking((confirmed) =>
        api.referrals.save({
          ...values,
          ...version,
          patient_id: patientId,
          visit_id: referral ? referral.visit_id : (visit?.id ?? null),
          confirmed,
        }),
      )
    }
    saved={({ to_name }) => ({ key: 'referrals.savedDone', values: { name: to_name } })}
    onClose={onClose}
  >
    {(Field) => (
      <>
        <Field name="to_name" />
        <Field name="reason" />
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <Field name="urgency" />
          <Field name="due_on" />
        </SimpleGrid>
        {referral && (
          <>
            <Field name="status" />
            <Field name="reply" />
          </>
        )}
      </>
    )}
  </RecordDialog>
)
