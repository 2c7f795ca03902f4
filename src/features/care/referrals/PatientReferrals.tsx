import { recordedBy } from '~/ui/RecordedBy'
import { RecordList } from '~/ui/RecordList'
import { ReferralDialog } from './ReferralDialog'
import { printLetter, referralColumns } from './ReferralStatus'
import type { Referral } from './referrals.server'

type Props = {
  patientId: string
  referrals: readonly Referral[]
  visit?: { id: string }
  mayEdit: boolean
  mayDelete: boolean
}

/** A referral is sent when it is recorded: "Recorded by" shows that day. */
const columns = [...referralColumns.filter(({ key }) => key !== 'sent_at'), recordedBy]

/** The referrals of one patient, newest first. */
export const PatientReferrals = ({ patientId, referrals, visit, ...rights }: Props) => (
  <RecordList
    noun="referrals"
    rows={referrals}
    columns={columns}
    nameOf={({ to_name }) => to_name}
    {...rights}
    actions={[printLetter]}
    dialog={(referral, onClose) => <ReferralDialog {...{ patientId, referral, visit, onClose }} />}
  />
)
