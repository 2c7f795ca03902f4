import { Group, SimpleGrid } from '@mantine/core'
import { api } from '~/client/api'
import { departmentRecord } from '~/records/department'
import { RecordDialog } from '~/ui/RecordDialog'
import { CAPABILITY_SWITCHES } from './clinic'
import type { Department } from './departments.server'

type Props = { clinicId: string; department: Department | undefined; onClose: () => void }

/** Adds a department, or changes one. */
export const DepartmentDialog = ({ clinicId, department, onClose }: Props) => (
  <RecordDialog
    title={department ? 'departments.edit' : 'departments.add'}
    size="md"
    fields={departmentRecord.fields}
    record={department}
    onSave={(values, version) =>
      api.departments.save({ ...values, ...version, clinic_id: clinicId })
    }
    saved={({ name }) =>
      department ? 'common.saved' : { key: 'departments.addedDone', values: { name } }
    }
    onClose={onClose}
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
  </RecordDialog>
)
