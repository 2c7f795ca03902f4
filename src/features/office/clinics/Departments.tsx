import { Button, Group, Menu, Title } from '@mantine/core'
import { IconCircleOff, IconPencil, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { api } from '~/client/api'
import { runAsking } from '~/features/rules/earlier/save-asking'
import { departmentRecord } from '~/records/department'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { type Column, fieldColumns } from '~/ui/columns'
import { confirm } from '~/ui/confirm'
import { DataTable } from '~/ui/DataTable'
import { DeleteItem } from '~/ui/menus'
import { refreshedRow } from '~/ui/newest'
import { CAPABILITY_SWITCHES } from './clinic'
import { CapabilitySwitch } from './CapabilitySwitch'
import type { Department } from './departments.server'
import { DepartmentDialog } from './DepartmentDialog'
import { DepartmentStatusMenu } from './DepartmentStatusMenu'

type Props = { clinicId: string; departments: Department[]; mayChange: boolean }

/** The departments of a clinic: what each can do is switched in place. */
export function Departments({ clinicId, departments, mayChange }: Props) {
  const say = useSay()
  const { run } = useAction()
  const [edited, setEdited] = useState<Department | 'new' | null>(null)

  async function remove({ id, name, status, is_in_use }: Department) {
    const action = is_in_use ? 'departments.makeInactive' : 'departments.delete'
    const isMeant = await confirm({
      text: {
        key: is_in_use ? 'departments.inUseAsks' : 'departments.deleteAsks',
        values: { name },
      },
      action,
      destructive: !is_in_use,
    })
    if (!isMeant) return
    // an appointment may have named the department since the page was read: the result says what
    // happened
    await runAsking(run, (confirmed) => api.departments.delete({ id, confirmed }), {
      success: ({ deletionId }) => ({
        key: deletionId ? 'departments.deletedDone' : 'departments.madeInactive',
        values: { name },
      }),
      undo: async ({ deletionId }) => {
        if (deletionId) return api.trash.restore({ id: deletionId })
        if (status !== 'inactive') await api.departments.setStatus({ id, status: 'active' })
        return status === 'maintenance' && api.departments.setStatus({ id, status })
      },
    })
  }

  const columns: Column<Department>[] = [
    ...fieldColumns(departmentRecord.fields, ['name']),
    {
      key: 'code',
      label: 'departments.code',
      cell: ({ display_code }) => <bdi>{display_code}</bdi>,
    },
    {
      key: 'status',
      card: 'badge',
      label: 'departments.status',
      cell: (department) => <DepartmentStatusMenu department={department} mayChange={mayChange} />,
    },
    ...CAPABILITY_SWITCHES.map((capability) => ({
      key: capability,
      label: `departments.short.${capability}` as const,
      cell: (department: Department) => (
        <CapabilitySwitch {...{ department, capability, mayChange }} />
      ),
    })),
    ...fieldColumns(departmentRecord.fields, ['additional_capabilities']).map((column) => ({
      ...column,
      label: 'departments.otherShort' as const,
    })),
  ]
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEdited('new')}>
      {say('departments.add')}
    </Button>
  )
  return (
    <div>
      <Group justify="space-between" mb="sm" mih="2.25rem">
        <Title order={2}>{say('departments.title')}</Title>
        {mayChange && departments.length > 0 && add}
      </Group>
      <DataTable
        label="departments.title"
        columns={columns}
        rows={departments}
        nameOf={({ name }) => name}
        actions={
          mayChange
            ? (department) => (
                <>
                  <Menu.Item
                    leftSection={<IconPencil size={16} aria-hidden />}
                    onClick={() => setEdited(department)}
                  >
                    {say('common.edit')}
                  </Menu.Item>
                  {department.is_in_use ? (
                    department.status !== 'inactive' && (
                      <Menu.Item
                        leftSection={<IconCircleOff size={16} aria-hidden />}
                        onClick={() => remove(department)}
                      >
                        {say('departments.makeInactive')}
                      </Menu.Item>
                    )
                  ) : (
                    <DeleteItem label="departments.delete" onClick={() => remove(department)} />
                  )}
                </>
              )
            : undefined
        }
        empty="departments.empty"
        emptyAction={mayChange && add}
      />
      {edited && (
        <DepartmentDialog
          clinicId={clinicId}
          department={edited === 'new' ? undefined : refreshedRow(departments, edited)}
          onClose={() => setEdited(null)}
        />
      )}
    </div>
  )
}
