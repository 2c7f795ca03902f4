import { useRouter } from '@tanstack/react-router'
import { api } from '~/client/api'
import { useAction } from '~/ui/action'
import { confirm } from '~/ui/confirm'
import { patientName } from '../patient'
import { DeleteItem } from '~/ui/menus'
import { untilDeleted } from './until-deleted'

type Props = { patient: { id: string; given_name: string | null; surname: string | null } }

/** Deletes a patient with all dependent records after the user typed the patient's name. */
export function DeletePatient({ patient }: Props) {
  const router = useRouter()
  const { run } = useAction()
  const name = patientName(patient)

  async function remove() {
    const isMeant = await confirm({
      text: { key: 'patientPage.deleteAsks', values: { name } },
      action: 'patientPage.delete',
      destructive: true,
      typed: name || undefined,
    })
    if (!isMeant) return
    await run(
      async (progress) => {
        const deleted = await api.patients.delete({ id: patient.id })
        await untilDeleted(deleted.job, progress)
        await router.navigate({ to: '/app/patients' })
        return deleted
      },
      {
        success: { key: 'patientPage.deletedDone', values: { name } },
        undo: ({ deletionId }) => api.trash.restore({ id: deletionId }),
      },
    )
  }

  return <DeleteItem label="patientPage.delete" onClick={remove} />
}
