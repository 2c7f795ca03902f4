import { useState } from 'react'
import { api } from '~/client/api'
import { LinkAnchor } from '~/client/links'
import { SecondIdentifier } from '~/features/people/patients/card/SecondIdentifier'
import { DialogAboutPatient } from '~/features/care/banner/PatientBanner'
import { editHistory } from '~/policy/rules'
import { type Actor, mayAnywhere } from '~/shared/actor'
import type { Column } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { useRefreshedRow } from '~/ui/newest'
import type { Pagination } from '~/ui/Paging'
import { editAction, rowMenu } from '~/ui/rowMenu'
import { ReferralDialog } from './ReferralDialog'
import { printLetter, referralColumns } from './ReferralStatus'
import type { ListedReferral } from './referrals.server'

type Props = {
  rows: ListedReferral[]
  pagination: Pagination
  actor: Actor
  isFiltered: boolean
}

/** Referrals of all patients; the reply is recorded here when a slip comes back. */
export function ReferralsTable({ rows, pagination, actor, isFiltered }: Props) {
  const [editing, setEditing] = useState<ListedReferral | null>(null)
  const edited = useRefreshedRow(rows, editing ?? undefined, (id) => api.referrals.get({ id }))
  const columns: Column<ListedReferral>[] = [
    {
      key: 'patient',
      card: 'title',
      label: 'referrals.patient',
      cell: ({ patient, patient_id, identifiers }) => (
        <>
          <LinkAnchor
            size="sm"
            to="/app/patients/$patientId"
            params={{ patientId: patient_id }}
            search={{ tab: 'referrals' }}
          >
            <bdi>{patient || '—'}</bdi>
          </LinkAnchor>
          <SecondIdentifier of={identifiers} />
        </>
      ),
    },
    ...referralColumns,
  ]
  return (
    <>
      <DataTable
        label="referrals.title"
        columns={columns}
        rows={rows}
        pagination={pagination}
        nameOf={({ patient }) => patient}
        empty={isFiltered ? 'referrals.noMatch' : 'referrals.empty'}
        actions={rowMenu<ListedReferral>([
          printLetter,
          mayAnywhere(actor, ...editHistory.permissions) && editAction(setEditing),
        ])}
      />
      {editing && (
        <DialogAboutPatient patientId={editing.patient_id}>
          <ReferralDialog
            patientId={editing.patient_id}
            referral={edited}
            onClose={() => setEditing(null)}
          />
        </DialogAboutPatient>
      )}
    </>
  )
}
