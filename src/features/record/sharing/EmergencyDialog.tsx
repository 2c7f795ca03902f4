import { Text } from '@mantine/core'
import { api } from '~/client/api'
import { longText } from '~/fields/field'
import { useSay } from '~/shared/say'
import { RecordDialog } from '~/ui/RecordDialog'

const fields = { reason: longText('sharing.emergencyReason', { max: 500 }) }

type Props = { patientId: string; name: string; onOpened?: () => void; onClose: () => void }

/** Asks for the reason of emergency access in words. */
export function EmergencyDialog({ patientId, name, onOpened, onClose }: Props) {
  const say = useSay()
  return (
    <RecordDialog
      title="sharing.emergencyTitle"
      size="md"
      submit="sharing.emergencyOpen"
      fields={fields}
      suggested={{ reason: null }}
      before={
        <Text size="sm" mb="md">
          {say({ key: 'sharing.emergencyText', values: { name } })}
        </Text>
      }
      onSave={async ({ reason }, { id }) => {
        await api.emergencies.start({ id, patientId, reason })
        onOpened?.()
      }}
      saved={() => 'sharing.emergencyBegan'}
      onClose={onClose}
    />
  )
}
