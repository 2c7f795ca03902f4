import { Alert, Button, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { type ContextType, use } from 'react'
import { useRouter } from '@tanstack/react-router'
import { api } from '~/client/api'
import { permissionRecord } from '~/records/permission'
import {
  defaultPermissions,
  type Permission,
  PERMISSIONS,
  PRESET_NAMES,
  PRESETS,
  type Role,
} from '~/shared/permissions'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { confirm } from '~/ui/confirm'
import { changedFields } from '~/ui/draft'
import { FieldForm } from '~/ui/FieldForm'
import { FormContext } from '~/ui/FormField'
import { Moment } from '~/ui/Moment'
import { StatusBadge } from '~/ui/StatusBadge'
import type { Held, PermissionRow } from './permissions.server'

type Props = {
  user: { id: string; name: string; role: Role }
  row: PermissionRow
  onRevoked: () => void
}

/** The permissions of a user in one clinic: each switch with its effect, saved together. */
export function PermissionCard({ user, row, onRevoked }: Props) {
  const say = useSay()
  const router = useRouter()

  async function save(held: Held) {
    const { clinic_id: clinicId, last_modified } = row
    await api.permissions.save({ ...held, userId: user.id, clinicId, last_modified })
    await router.invalidate()
  }

  return (
    <Paper withBorder p="md" component="section" aria-label={row.clinic}>
      <FieldForm
        fields={permissionRecord.fields}
        values={row}
        submit="common.save"
        onSubmit={save}
        cancel={<Revoke {...{ user, row, onRevoked }} />}
      >
        {(Field) => (
          <>
            <Group justify="space-between" gap="xs">
              <Group gap="xs">
                <Title order={2}>
                  <bdi>{row.clinic}</bdi>
                </Title>
                <State row={row} />
              </Group>
              <RoleDefaults role={user.role} />
            </Group>
            <Presets />
            {row.is_archived && <Alert color="gray">{say('permissions.archived')}</Alert>}
            <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="lg" verticalSpacing="md">
              {PERMISSIONS.map((permission) => (
                <Field key={permission} name={permission} />
              ))}
            </SimpleGrid>
            {row.last_modified && (
              <Text size="xs" c="dimmed">
                {say('permissions.lastChange')} <Moment at={row.last_modified} />
                {row.last_modified_by && (
                  <>
                    {' · '}
                    <bdi>{row.last_modified_by}</bdi>
                  </>
                )}
              </Text>
            )}
          </>
        )}
      </FieldForm>
    </Paper>
  )
}

function State({ row }: { row: PermissionRow }) {
  const say = useSay()
  const form = use(FormContext)
  const saved = Object.fromEntries(PERMISSIONS.map((permission) => [permission, row[permission]]))
  const isSaved = form === null || changedFields(saved, form.draft).length === 0
  if (form?.disabled) return <StatusBadge tone="plain">{say('common.saving')}</StatusBadge>
  return (
    <span aria-live="polite">
      <StatusBadge tone={isSaved ? 'good' : 'warning'}>
        {say(isSaved ? 'permissions.saved' : 'permissions.unsaved')}
      </StatusBadge>
    </span>
  )
}

/** Permissions of usual jobs: one press sets the boxes, and saves nothing. */
function Presets() {
  const say = useSay()
  const form = use(FormContext)
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Text size="sm">{say('permissions.presets')}</Text>
        {PRESET_NAMES.map((name) => (
          <Button
            key={name}
            variant="default"
            size="compact-sm"
            disabled={form?.disabled}
            onClick={() => setHeld(form, PRESETS[name])}
          >
            {say(`permissions.preset_${name}`)}
          </Button>
        ))}
      </Group>
      <Text size="xs" c="dimmed">
        {say('permissions.presetsText')}
      </Text>
    </Stack>
  )
}

const setHeld = (form: ContextType<typeof FormContext>, held: readonly Permission[]) =>
  PERMISSIONS.forEach((permission) => form?.change(permission, held.includes(permission)))

function RoleDefaults({ role }: { role: Role }) {
  const say = useSay()
  const form = use(FormContext)
  const defaults = defaultPermissions(role)
  return (
    <Button
      variant="default"
      size="compact-sm"
      disabled={form?.disabled}
      onClick={() => setHeld(form, defaults)}
    >
      {say('permissions.applyDefaults')}
    </Button>
  )
}

function Revoke({ user, row, onRevoked }: Props) {
  const say = useSay()
  const { run, pending } = useAction()
  const values = { name: user.name, clinic: row.clinic }
  async function revoke() {
    const isMeant = await confirm({
      title: { key: 'permissions.revokeTitle', values },
      text: { key: 'permissions.revokeText', values },
      action: 'permissions.revoke',
      destructive: true,
    })
    if (!isMeant) return
    const done = await run(
      () => api.permissions.revoke({ userId: user.id, clinicId: row.clinic_id }),
      {
        success: { key: 'permissions.revoked', values },
      },
    )
    if (done) onRevoked()
  }
  return (
    <Button
      variant="subtle"
      color="red"
      c="var(--mantine-color-error)"
      loading={pending}
      onClick={revoke}
    >
      {say('permissions.revoke')}
    </Button>
  )
}
