import { Paper, Stack } from '@mantine/core'
import { useState } from 'react'
import { PERMISSIONS, type Role } from '~/shared/permissions'
import { EmptyState } from '~/ui/EmptyState'
import { AddClinic } from './AddClinic'
import { PermissionCard } from './PermissionCard'
import type { PermissionRow } from './permissions.server'

type Props = {
  user: { id: string; name: string; role: Role }
  rows: readonly PermissionRow[]
  clinics: readonly { id: string; name: string }[]
}

const hasRights = (row: PermissionRow) => PERMISSIONS.some((permission) => row[permission])

/** A card for each clinic where the user works; the user is added to more clinics above them. */
export function PermissionCards({ user, rows, clinics }: Props) {
  // a clinic whose last permission was just switched off stays on the screen until it is removed
  const [kept, setKept] = useState(() => rows.filter(hasRights).map((row) => row.clinic_id))
  const shown = rows.filter((row) => kept.includes(row.clinic_id) || hasRights(row))
  const missing = clinics.filter(({ id }) => !shown.some((row) => row.clinic_id === id))
  return (
    <Stack gap="md">
      <AddClinic
        userId={user.id}
        clinics={missing}
        onAdded={(id) => setKept((ids) => [...ids, id])}
      />
      {shown.map((row) => (
        <PermissionCard
          key={row.clinic_id}
          user={user}
          row={row}
          onRevoked={() => setKept((ids) => ids.filter((id) => id !== row.clinic_id))}
        />
      ))}
      {shown.length === 0 && (
        <Paper withBorder>
          <EmptyState
            title="permissions.none"
            text={{ key: 'permissions.noneText', values: { name: user.name } }}
          />
        </Paper>
      )}
    </Stack>
  )
}
