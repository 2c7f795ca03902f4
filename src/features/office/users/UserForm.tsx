import { Radio, Stack, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useFormatter } from 'use-intl'
import { type ReactNode, use, useState } from 'react'
import { toast } from '~/ui/toast'
import { LinkButton } from '~/client/links'
import { api, type Input } from '~/client/api'
import { userRecord } from '~/records/user'
import type { MessageKey } from '~/shared/language'
import { optional, select } from '~/fields/field'
import { defaultPermissions, PRESET_NAMES, roleRank, type Role, ROLES } from '~/shared/permissions'
import { useSay } from '~/shared/say'
import { FieldForm } from '~/ui/FieldForm'
import { FormContext } from '~/ui/FormField'
import { besideNewPassword } from './new-password'
import { newUserFields } from './user'
import type { UserRecord } from './users.server'

type Props = {
  id: string
  user: UserRecord | undefined
  /** Those that the viewer may give. */
  roles: readonly Role[]
  clinics: readonly { id: string; name: string }[]
}

const { password, ...others } = newUserFields
const withPassword = { ...others, newPassword: password }
const withPreset = {
  ...withPassword,
  preset: optional(
    select(
      'permissions.presets',
      PRESET_NAMES,
      (name): MessageKey => `permissions.preset_${name}`,
      {
        hint: 'users.presetHint',
      },
    ),
  ),
}

/** Adds a user, optionally with a first password, or changes one. */
export function UserForm({ id, user, roles, clinics }: Props) {
  const say = useSay()
  const router = useRouter()
  const [isKept, setKept] = useState(false)
  /** Undefined until the user chooses: then a lower role takes its permissions. */
  const [isOfRole, setOfRole] = useState<boolean>()
  const options = {
    role: roles.map((value) => ({ value, label: `roles.${value}` as MessageKey })),
    clinic_id: clinics.map(({ id: value, name }) => ({ value, label: { text: name } })),
  }
  const cancel = (
    <LinkButton variant="default" to="/app/users">
      {say('common.cancel')}
    </LinkButton>
  )

  async function save(values: Input<'users.save'>) {
    await besideNewPassword(api.users.save(values))
    await router.invalidate()
    await router.navigate({ to: '/app/users' })
    toast.success(
      say({ key: user ? 'users.saved' : 'users.created', values: { name: values.name } }),
    )
  }

  // only super_admins give that role, and only they set permissions
  const maySetPermissions = roles.includes('super_admin')

  if (!user) {
    return (
      <FieldForm
        fields={withPreset}
        submit="users.add"
        options={options}
        cancel={cancel}
        onSubmit={({ newPassword, preset, ...values }) =>
          save({
            id,
            ...values,
            password: newPassword,
            preset: maySetPermissions && takesPreset(values) ? preset : null,
          })
        }
      >
        {(Field) => (
          <>
            <Field name="name" />
            <Field name="email" />
            <Field name="role" />
            <RoleInWords />
            <Field name="clinic_id" />
            {maySetPermissions && (
              <OfClinicStaff>
                <Field name="preset" />
              </OfClinicStaff>
            )}
            <Field name="newPassword" />
          </>
        )}
      </FieldForm>
    )
  }
  return (
    <FieldForm
      fields={userRecord.fields}
      values={user}
      submit="common.save"
      options={options}
      cancel={cancel}
      onSubmit={(values) =>
        save({
          id,
          last_modified: user.last_modified,
          ...values,
          password: null,
          keep_permissions: isKept,
          role_permissions: isOfRole ?? isLower(values.role, user.role),
        })
      }
    >
      {(Field) => (
        <>
          <Field name="name" />
          <Field name="email" />
          <Field name="role" />
          <RoleInWords was={user.role} isOfRole={isOfRole} onOfRole={setOfRole} />
          <Field name="clinic_id" />
          <PermissionsLeft user={user} isKept={isKept} onKeep={setKept} />
        </>
      )}
    </FieldForm>
  )
}

const takesPreset = ({ role, clinic_id }: { role?: unknown; clinic_id?: unknown }) =>
  (role === 'registrar' || role === 'provider') && Boolean(clinic_id)

/** Administrators hold every permission, and without a clinic there is none to set. */
function OfClinicStaff({ children }: { children: ReactNode }) {
  return takesPreset(use(FormContext)?.draft ?? {}) ? children : null
}

type LeftProps = { user: UserRecord; isKept: boolean; onKeep: (isKept: boolean) => void }

/** When another clinic is chosen: what becomes of the permissions in the one that the user leaves. */
function PermissionsLeft({ user, isKept, onKeep }: LeftProps) {
  const say = useSay()
  const chosen = use(FormContext)?.draft['clinic_id']
  if (!user.clinic || (chosen ?? null) === user.clinic_id) return null
  const values = { name: user.name, clinic: user.clinic }
  return (
    <Radio.Group
      label={say({ key: 'users.leftTitle', values })}
      description={say('users.leftText')}
      value={isKept ? 'keep' : 'remove'}
      onChange={(value) => onKeep(value === 'keep')}
    >
      <Stack gap="xs" mt="xs">
        <Radio value="remove" label={say('users.leftRemove')} />
        <Radio value="keep" label={say('users.leftKeep')} />
      </Stack>
    </Radio.Group>
  )
}

const isLower = (role: Role, was: Role) => roleRank(role) < roleRank(was)

type RoleProps = { was?: Role; isOfRole?: boolean; onOfRole?: (isOfRole: boolean) => void }

/** What the chosen role allows, and what becomes of the permissions when the role changes. */
function RoleInWords({ was, isOfRole, onOfRole }: RoleProps) {
  const say = useSay()
  const format = useFormatter()
  const chosen = use(FormContext)?.draft['role']
  const role = ROLES.find((name) => name === chosen)
  if (!role) return null
  const isAdministrator = role === 'admin' || role === 'super_admin'
  const permissions = defaultPermissions(role).map((each) => say(`permissions.${each}`))
  return (
    <>
      <Text size="sm" c="dimmed" mt="-0.5rem" aria-live="polite">
        {say(`capabilities.${role}`)}{' '}
        {was && role !== was && isAdministrator && say('users.permissionsStay')}
      </Text>
      {was && role !== was && !isAdministrator && (
        <Radio.Group
          label={say('users.rolePermissions')}
          value={(isOfRole ?? isLower(role, was)) ? 'role' : 'leave'}
          onChange={(value) => onOfRole?.(value === 'role')}
        >
          <Stack gap="xs" mt="xs">
            <Radio
              value="role"
              label={say({
                key: 'users.rolePermissionsUse',
                values: { permissions: format.list(permissions) },
              })}
            />
            <Radio value="leave" label={say('users.rolePermissionsLeave')} />
          </Stack>
        </Radio.Group>
      )}
    </>
  )
}
