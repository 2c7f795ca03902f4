import { Button, Group, SimpleGrid } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { toast } from 'sonner'
import { api } from '~/client/api'
import { departmentRecord } from '~/records/department'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { Dialog } from '~/ui/Dialog'
import { FieldForm } from '~/ui/FieldForm'
import { CAPABILITY_SWITCHES } from './clinic'
import type { Department } from './departments.server'

type Props = { clinicId: string; department: Department | undefined; onClose: () => void }

/** Adds a department, or changes one. */
export function DepartmentDialog({ clinicId, department, onClose }: Props) {
  const say = useSay()
  const router = useRouter()
  // one id for as long as the dialog is open: pressing twice makes one department
  const [id] = useState(() => department?.id ?? newId())
  return (
    <Dialog
      onClose={onClose}
      title={say(department ? 'departments.edit' : 'departments.add')}
      closeButtonProps={{ 'aria-label': say('common.close') }}
    >
      <FieldForm
        fields={departmentRecord.fields}
        values={department}
        submit="common.save"
        cancel={
          <Button variant="default" onClick={onClose}>
            {say('common.cancel')}
          </Button>
        }
        onSubmit={async (values) => {
          await api.departments.save({
            id,
            clinic_id: clinicId,
            last_modified: department?.last_modified,
            ...values,
          })
          await router.invalidate()
          toast.success(
            say(
              department
                ? 'common.saved'
                : { key: 'departments.addedDone', values: { name: values.name } },
            ),
          )
          onClose()
        }}
      >
        {(Field) => (
          <>
            <Group grow align="flex-start">
              <Field name="name" />
              <Field name="code" />
            </Group>
            <Field name="description" />
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
              {CAPABILITY_SWITCHES.map((capability) => (
                <Field key={capability} name={capability} />
              ))}
            </SimpleGrid>
            <Field name="additional_capabilities" />
          </>
        )}
      </FieldForm>
    </Dialog>
  )
}
