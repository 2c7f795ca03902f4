import { ActionIcon, Button, Group, Menu, Paper, Stack, Text } from '@mantine/core'
import { IconDotsVertical } from '@tabler/icons-react'
import { useState } from 'react'
import { api } from '~/client/api'
import { isEndReason } from '~/records/enrollment'
import { useSay, useLanguage } from '~/shared/say'
import { useAction } from '~/ui/action'
import { Day } from '~/ui/Day'
import { refreshedRow } from '~/ui/newest'
import { EndDialog, EnrollmentDialog } from './EnrollmentDialog'
import { ProgramName } from './Program'
import { programName } from './programs'
import type { ListedEnrollment } from './programs.server'

type Props = {
  patientId: string
  programs: readonly ListedEnrollment[]
  /** The user may enroll, correct and end. */
  mayEdit: boolean
  /** Something new can begin. */
  mayBegin: boolean
}
type Editing = { kind: 'edit' | 'end'; row: ListedEnrollment } | { kind: 'new' }

/** The programs of a patient with their dates, open ones first. */
export function PatientPrograms({ patientId, programs, mayEdit, mayBegin }: Props) {
  const say = useSay()
  const { run } = useAction()
  const [editing, setEditing] = useState<Editing | null>(null)
  const close = () => setEditing(null)
  const reopen = ({ id, last_modified, patient_id, clinic_id, enrolled_on }: ListedEnrollment) =>
    run(
      () =>
        api.programs.save({
          id,
          last_modified,
          patient_id,
          clinic_id,
          enrolled_on,
          ended_on: null,
          end_reason: null,
        }),
      { success: 'programs.reopenedDone' },
    )
  return (
    <Stack gap="xs" align="flex-start">
      {programs.length === 0 && (
        <Text size="sm" c="dimmed">
          {say('programs.none')}
        </Text>
      )}
      {programs.length > 0 && (
        <Paper withBorder p="sm" component="ul" m={0} w="100%" style={{ listStyle: 'none' }}>
          {programs.map((row) => (
            <Group
              key={row.id}
              component="li"
              gap="xs"
              py={2}
              justify="space-between"
              wrap="nowrap"
            >
              <Line row={row} />
              {mayEdit && (
                <Actions
                  row={row}
                  onEdit={(kind) => setEditing({ kind, row })}
                  onReopen={() => void reopen(row)}
                />
              )}
            </Group>
          ))}
        </Paper>
      )}
      {mayEdit && mayBegin && (
        <Button variant="default" size="xs" onClick={() => setEditing({ kind: 'new' })}>
          {say('programs.enroll')}
        </Button>
      )}
      {editing?.kind === 'end' && (
        <EndDialog row={refreshedRow(programs, editing.row)} onClose={close} />
      )}
      {editing && editing.kind !== 'end' && (
        <EnrollmentDialog
          patientId={patientId}
          row={editing.kind === 'edit' ? refreshedRow(programs, editing.row) : undefined}
          onClose={close}
        />
      )}
    </Stack>
  )
}

function Line({ row }: { row: ListedEnrollment }) {
  const say = useSay()
  const { program, clinic, enrolled_on, ended_on, end_reason } = row
  return (
    <Stack gap={0}>
      <Text size="sm" fw={500}>
        <ProgramName code={program} />
      </Text>
      <Text size="xs" c="dimmed">
        {say('programs.enrolledOn')}: <Day value={enrolled_on} />
        {' · '}
        <bdi>{clinic}</bdi>
        {ended_on && (
          <>
            {' · '}
            {say('programs.endedOn')}: <Day value={ended_on} />
            {isEndReason(end_reason) && ` (${say(`programs.end_${end_reason}`)})`}
          </>
        )}
      </Text>
    </Stack>
  )
}

type ActionProps = {
  row: ListedEnrollment
  onEdit: (kind: 'edit' | 'end') => void
  onReopen: () => void
}

function Actions({ row, onEdit, onReopen }: ActionProps) {
  const say = useSay()
  const program = programName(row.program, useLanguage())
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={say({ key: 'programs.actionsOf', values: { program } })}
        >
          <IconDotsVertical size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onEdit('edit')}>{say('programs.edit')}</Menu.Item>
        {row.ended_on === null && (
          <Menu.Item onClick={() => onEdit('end')}>{say('programs.end')}</Menu.Item>
        )}
        {/* an end by the date of death is taken back there */}
        {row.ended_on !== null && row.end_reason !== 'died' && (
          <Menu.Item onClick={onReopen}>{say('programs.reopen')}</Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
