import { describe, expect, test } from 'vitest'
import { INTERACTIONS } from './interactions'
import { levelOf } from './warning'
import { allergy, drug, given, kindsOf, warningsOf } from '../../../../../test/safety-samples'

const MUST = 'must_not'
/** The pairs of the review that had no answer, and those of its second list, with the rule that answers now. */
const PAIRS = [
  ['nicorandil', 'sildenafil', 'nicorandil-pde5', MUST],
  ['riociguat', 'tadalafil', 'riociguat-pde5', MUST],
  ['riociguat', 'isosorbide dinitrate', 'riociguat-nitrate', MUST],
  ['riociguat', 'nicorandil', 'riociguat-nicorandil', MUST],
  ['repaglinide', 'gemfibrozil', 'repaglinide-gemfibrozil', MUST],
  ['ondansetron', 'apomorphine', 'ondansetron-apomorphine', MUST],
  ['warfarin', 'capecitabine', 'warfarin-capecitabine', 'caution'],
  ['apixaban', 'acetylsalicylic acid', 'doac-aspirin', 'caution'],
  ['quetiapine', 'clarithromycin', 'quetiapine-cyp3a4', 'avoid'],
  ['quetiapine', 'erythromycin', 'quetiapine-erythromycin', 'avoid'],
  ['warfarin', 'ibuprofen', 'warfarin-nsaid', 'avoid'],
  ['warfarin', 'metronidazole', 'warfarin-antimicrobial', 'avoid'],
  ['warfarin', 'clarithromycin', 'warfarin-macrolide', 'caution'],
  ['warfarin', 'fluconazole', 'warfarin-antimicrobial', 'avoid'],
  ['warfarin', 'sulfamethoxazole', 'warfarin-antimicrobial', 'avoid'],
  ['warfarin', 'acetylsalicylic acid', 'warfarin-aspirin', 'caution'],
  ['warfarin', 'ciprofloxacin', 'warfarin-macrolide', 'caution'],
  ['warfarin', 'amiodarone', 'warfarin-amiodarone', 'caution'],
  ['warfarin', 'carbamazepine', 'warfarin-inducer', 'caution'],
  ['warfarin', 'paracetamol', 'warfarin-paracetamol', 'caution'],
  ['enalapril', 'spironolactone', 'ras-potassium-sparing', 'caution'],
  ['eplerenone', 'clarithromycin', 'eplerenone-cyp3a4', MUST],
  ['ticagrelor', 'itraconazole', 'ticagrelor-cyp3a4', 'avoid'],
  ['ticagrelor', 'rifampicin', 'ticagrelor-inducer', 'avoid'],
  ['bosentan', 'glibenclamide', 'bosentan-forbidden', MUST],
  ['tranexamic acid', 'ethinylestradiol', 'tranexamic-contraceptive', MUST],
  ['enoxaparin', 'ketorolac', 'heparin-nsaid', 'avoid'],
  ['heparin', 'acetylsalicylic acid', 'heparin-aspirin', 'caution'],
  ['acenocoumarol', 'tamoxifen', 'warfarin-tamoxifen', 'avoid'],
  ['warfarin', 'fluorouracil', 'warfarin-fluorouracil', 'caution'],
  ['acitretin', 'methotrexate', 'acitretin-methotrexate', MUST],
  ['acitretin', 'retinol', 'acitretin-vitamin-a', MUST],
  ['ritonavir', 'flecainide', 'ritonavir-antiarrhythmic', MUST],
  ['tenofovir disoproxil', 'diclofenac', 'tenofovir-nsaid', 'caution'],
  ['tenofovir alafenamide', 'ibuprofen', 'tenofovir-nsaid', 'caution'],
  ['tenofovir alafenamide', 'rifampicin', 'tenofovir-alafenamide-inducer', 'avoid'],
  ['zidovudine', 'stavudine', 'zidovudine-antagonist', 'avoid'],
  ['griseofulvin', 'levonorgestrel', 'griseofulvin-contraceptive', 'avoid'],
  ['tadalafil', 'doxazosin', 'pde5-alpha', 'caution'],
  ['sildenafil', 'erythromycin', 'sildenafil-raised', 'avoid'],
  ['sildenafil', 'ritonavir', 'sildenafil-ritonavir', 'avoid'],
  ['tamsulosin', 'ketoconazole', 'tamsulosin-cyp3a4', 'caution'],
  ['chloroquine', 'magnesium hydroxide', 'chloroquine-antacid', 'caution'],
  ['codeine', 'paroxetine', 'codeine-cyp2d6', 'caution'],
  ['ciprofloxacin', 'gliclazide', 'quinolone-diabetes', 'caution'],
  ['warfarin', 'allopurinol', 'warfarin-simva-allopurinol', 'caution'],
  ['allopurinol', 'amoxicillin', 'allopurinol-aminopenicillin', 'caution'],
  ['prednisolone', 'acetylsalicylic acid', 'steroid-aspirin', 'caution'],
  ['cefpodoxime', 'ranitidine', 'cefalosporin-acid', 'caution'],
  ['repaglinide', 'clopidogrel', 'repaglinide-clopidogrel', MUST],
  ['levodopa', 'risperidone', 'levodopa-antipsychotic', 'avoid'],
  ['levodopa', 'isoniazid', 'levodopa-lowered', 'caution'],
  ['rilpivirine', 'carbamazepine', 'rilpivirine-inducer', MUST],
  ['rilpivirine', 'rifampicin', 'rilpivirine-inducer', MUST],
  ['edoxaban', 'rifampicin', 'edoxaban-inducer', 'avoid'],
  ['azathioprine', 'trimethoprim', 'thiopurine-trimethoprim', 'caution'],
  ['zidovudine', 'valproic acid', 'zidovudine-marrow', 'caution'],
  ['spironolactone', 'naproxen', 'potassium-sparing-nsaid', 'caution'],
  ['enalapril', 'potassium chloride', 'ras-potassium', 'caution'],
  ['enalapril', 'losartan', 'acei-arb', 'avoid'],
  ['enalapril', 'trimethoprim', 'ras-trimethoprim', 'avoid'],
  ['losartan', 'ibuprofen', 'ras-nsaid', 'caution'],
  ['losartan', 'aliskiren', 'ras-aliskiren', 'avoid'],
  ['enalapril', 'sacubitril', 'acei-sacubitril', MUST],
  ['spironolactone', 'trimethoprim', 'spironolactone-trimethoprim', 'avoid'],
  ['spironolactone', 'potassium chloride', 'potassium-sparing', 'avoid'],
  ['methotrexate', 'trimethoprim', 'methotrexate-trimethoprim', 'avoid'],
  ['methotrexate', 'sulfamethoxazole', 'methotrexate-sulfamethoxazole', 'avoid'],
  ['methotrexate', 'naproxen', 'methotrexate-nsaid', 'caution'],
  ['sildenafil', 'isosorbide dinitrate', 'nitrate-pde5', MUST],
  ['tadalafil', 'glyceryl trinitrate', 'nitrate-pde5', MUST],
  ['lithium', 'ibuprofen', 'lithium-nsaid', 'avoid'],
  ['lithium', 'hydrochlorothiazide', 'lithium-thiazide', 'avoid'],
  ['lithium', 'enalapril', 'lithium-ras', 'avoid'],
  ['lithium', 'furosemide', 'lithium-loop', 'caution'],
  ['diazepam', 'morphine', 'opioid-benzodiazepine', 'avoid'],
  ['zolpidem', 'oxycodone', 'opioid-benzodiazepine', 'avoid'],
  ['pregabalin', 'tramadol', 'opioid-gabapentinoid', 'caution'],
  ['tramadol', 'sertraline', 'ssri-tramadol', 'caution'],
  ['sertraline', 'ibuprofen', 'ssri-nsaid', 'caution'],
  ['digoxin', 'amiodarone', 'digoxin-raised', 'avoid'],
  ['digoxin', 'clarithromycin', 'digoxin-raised', 'avoid'],
  ['digoxin', 'verapamil', 'digoxin-raised', 'avoid'],
  ['digoxin', 'diltiazem', 'digoxin-diltiazem', 'caution'],
  ['verapamil', 'bisoprolol', 'betablocker-verapamil', 'avoid'],
  ['diltiazem', 'atenolol', 'betablocker-diltiazem', 'caution'],
  ['allopurinol', 'azathioprine', 'allopurinol-thiopurine', 'avoid'],
  ['allopurinol', 'mercaptopurine', 'allopurinol-thiopurine', 'avoid'],
  ['rifampicin', 'ethinylestradiol', 'inducer-contraceptive', 'avoid'],
  ['carbamazepine', 'levonorgestrel', 'inducer-contraceptive', 'avoid'],
  ['rifampicin', 'dolutegravir', 'inducer-dolutegravir', 'avoid'],
  ['rifampicin', 'warfarin', 'warfarin-rifampicin', 'avoid'],
  ['rifampicin', 'apixaban', 'inducer-xa', 'avoid'],
  ['rifampicin', 'artemether', 'inducer-artemether', MUST],
  ['rifampicin', 'praziquantel', 'inducer-praziquantel', MUST],
  ['rifampicin', 'sofosbuvir', 'inducer-sofosbuvir', MUST],
  ['rifampicin', 'nevirapine', 'rifampicin-arv', 'avoid'],
  ['rifapentine', 'atazanavir', 'inducer-protease', MUST],
  ['colchicine', 'clarithromycin', 'colchicine-cyp3a4', 'avoid'],
  ['glibenclamide', 'fluconazole', 'sulfonylurea-raised', 'caution'],
  ['tamoxifen', 'paroxetine', 'tamoxifen-cyp2d6', 'avoid'],
  ['dabigatran', 'rifampicin', 'dabigatran-inducer', 'avoid'],
  ['clozapine', 'ciprofloxacin', 'clozapine-cyp1a2', 'avoid'],
  ['clozapine', 'carbamazepine', 'clozapine-inducer', 'avoid'],
  ['fentanyl', 'clarithromycin', 'opioid-cyp3a4', 'caution'],
  ['tacrolimus', 'fluconazole', 'tacrolimus-raised', 'avoid'],
  ['tacrolimus', 'rifampicin', 'tacrolimus-inducer', 'avoid'],
  ['warfarin', 'azithromycin', 'warfarin-azithromycin', 'caution'],
  ['metformin', 'cimetidine', 'metformin-cimetidine', 'caution'],
  ['phenytoin', 'carbamazepine', 'phenytoin-carbamazepine', 'caution'],
  ['gliclazide', 'sulfamethoxazole', 'sulfonylurea-raised', 'caution'],
  ['carbamazepine', 'erythromycin', 'carbamazepine-macrolide', 'avoid'],
  ['phenytoin', 'isoniazid', 'antiepileptic-isoniazid', 'caution'],
  ['phenytoin', 'fluconazole', 'antiepileptic-fluconazole', 'caution'],
  ['theophylline', 'ciprofloxacin', 'theophylline-ciprofloxacin', 'avoid'],
  ['theophylline', 'erythromycin', 'theophylline-erythromycin', 'avoid'],
  ['valproic acid', 'meropenem', 'valproate-carbapenem', 'avoid'],
  ['lamotrigine', 'valproic acid', 'lamotrigine-valproate', 'avoid'],
  ['sumatriptan', 'ergotamine', 'triptan-ergot', MUST],
  ['simvastatin', 'amiodarone', 'simvastatin-amiodarone', 'caution'],
  ['simvastatin', 'amlodipine', 'simvastatin-amiodarone', 'caution'],
  ['simvastatin', 'diltiazem', 'simvastatin-verapamil', 'caution'],
  ['clopidogrel', 'omeprazole', 'clopidogrel-omeprazole', 'avoid'],
  ['doxycycline', 'ferrous sulfate', 'chelation', 'caution'],
  ['levothyroxine', 'calcium carbonate', 'chelation', 'caution'],
  ['isotretinoin', 'doxycycline', 'isotretinoin-tetracycline', 'avoid'],
  ['apixaban', 'ibuprofen', 'nsaid-doac', 'caution'],
  ['rivaroxaban', 'clarithromycin', 'inhibitor-xa', 'avoid'],
  ['levodopa', 'metoclopramide', 'levodopa-antagonist', 'avoid'],
  // the list of QT, and what was missing in the groups of the first fifteen
  ['amiodarone', 'azithromycin', 'qt-high-also', MUST],
  ['methadone', 'ciprofloxacin', 'qt-high-also', MUST],
  ['domperidone', 'fluconazole', 'qt-high-also', MUST],
  ['sotalol', 'citalopram', 'qt-high-known', MUST],
  ['citalopram', 'erythromycin', 'qt-qt', 'avoid'],
  ['escitalopram', 'levofloxacin', 'qt-qt', 'avoid'],
  ['azithromycin', 'ondansetron', 'qt-also', 'caution'],
  ['haloperidol', 'donepezil', 'qt-known-also', 'caution'],
  ['hydroxychloroquine', 'azithromycin', 'chloroquine-macrolide', 'avoid'],
  ['roxithromycin', 'sulpiride', 'qt-also', 'caution'],
  ['levomepromazine', 'haloperidol', 'qt-known-also', 'caution'],
  ['linezolid', 'trazodone', 'ssri-mao', MUST],
  ['linezolid', 'mirtazapine', 'ssri-mao', MUST],
  ['moclobemide', 'buspirone', 'ssri-mao', MUST],
  ['phenelzine', 'bupropion', 'bupropion-mao', MUST],
  ['phenelzine', 'ephedrine', 'sympathomimetic-mao', MUST],
  ['phenelzine', 'phenylephrine', 'sympathomimetic-mao', MUST],
  ['enzalutamide', 'praziquantel', 'inducer-praziquantel', MUST],
  ['rilpivirine', 'omeprazole', 'rilpivirine-ppi', MUST],
  ['domperidone', 'ketoconazole', 'domperidone-cyp3a4', MUST],
  ['gliclazide', 'miconazole', 'sulfonylurea-miconazole', MUST],
  ['sulfadoxine', 'sulfamethoxazole', 'sulfadoxine-cotrimoxazole', MUST],
  ['ketoconazole', 'methadone', 'ketoconazole-qt', MUST],
  ['quinine', 'erythromycin', 'quinine-qt', 'avoid'],
  ['mefloquine', 'quinine', 'mefloquine-quinine', 'avoid'],
  ['bedaquiline', 'moxifloxacin', 'bedaquiline-qt', 'avoid'],
  ['warfarin', 'sertraline', 'warfarin-ssri', 'caution'],
  ['warfarin', 'clopidogrel', 'warfarin-clopidogrel', 'avoid'],
  ['prednisolone', 'ibuprofen', 'steroid-nsaid', 'caution'],
  ['atorvastatin', 'clarithromycin', 'atorvastatin-clarithromycin', 'avoid'],
  ['simvastatin', 'fluconazole', 'statin-fluconazole', 'caution'],
  ['atorvastatin', 'erythromycin', 'atorvastatin-erythromycin', 'caution'],
  ['amitriptyline', 'fluoxetine', 'tricyclic-ssri', 'caution'],
  ['furosemide', 'ibuprofen', 'loop-nsaid', 'caution'],
  ['rifampicin', 'gliclazide', 'rifampicin-lowers', 'caution'],
  ['rifampicin', 'prednisolone', 'rifampicin-lowers', 'caution'],
  ['rifampicin', 'nifedipine', 'rifampicin-nifedipine', 'avoid'],
  ['dolutegravir', 'metformin', 'dolutegravir-metformin', 'caution'],
  ['imatinib', 'ketoconazole', 'imatinib-ketoconazole', 'caution'],
  ['cisplatin', 'gentamicin', 'gentamicin-nephrotoxic', 'avoid'],
  ['gentamicin', 'vancomycin', 'gentamicin-nephrotoxic', 'avoid'],
  ['gentamicin', 'furosemide', 'gentamicin-furosemide', 'caution'],
  ['fentanyl', 'rifampicin', 'fentanyl-rifampicin', 'caution'],
  // by mechanism and class, from labels that were read for them (2026-11-30)
  ['dabigatran', 'verapamil', 'dabigatran-raised', 'caution'],
  ['dabigatran', 'ketoconazole', 'dabigatran-forbidden', MUST],
  ['methotrexate', 'amoxicillin', 'methotrexate-raised', 'caution'],
  ['digoxin', 'furosemide', 'digoxin-potassium', 'caution'],
  ['digoxin', 'azithromycin', 'digoxin-raised-also', 'caution'],
  ['digoxin', 'aluminium hydroxide', 'digoxin-lowered', 'caution'],
  ['digoxin', 'propranolol', 'digoxin-betablocker', 'caution'],
  ['tramadol', 'clomipramine', 'tramadol-serotonergic', 'caution'],
  ['tramadol', 'carbamazepine', 'tramadol-carbamazepine', 'avoid'],
  ['tramadol', 'rifampicin', 'tramadol-inducer', 'caution'],
  ['methadone', 'rifampicin', 'methadone-inducer', 'avoid'],
  ['methadone', 'efavirenz', 'methadone-nnrti', 'caution'],
  ['lamotrigine', 'ethinylestradiol', 'lamotrigine-lowered', 'caution'],
  ['theophylline', 'clarithromycin', 'theophylline-raised', 'avoid'],
  ['theophylline', 'allopurinol', 'theophylline-allopurinol', 'caution'],
  ['theophylline', 'rifampicin', 'theophylline-lowered', 'caution'],
  ['bedaquiline', 'rifampicin', 'bedaquiline-inducer', 'avoid'],
  ['ciclosporin', 'fluconazole', 'ciclosporin-raised', 'avoid'],
  ['ciclosporin', 'rifampicin', 'ciclosporin-inducer', 'avoid'],
  ['midazolam', 'ketoconazole', 'benzodiazepine-azole', MUST],
  ['metronidazole', 'disulfiram', 'metronidazole-disulfiram', 'avoid'],
  ['lithium', 'metronidazole', 'lithium-metronidazole', 'caution'],
  ['clonidine', 'propranolol', 'clonidine-betablocker', 'caution'],
  ['levothyroxine', 'rifampicin', 'levothyroxine-inducer', 'caution'],
  ['levothyroxine', 'omeprazole', 'levothyroxine-ppi', 'caution'],
  ['levothyroxine', 'sucralfate', 'levothyroxine-binder', 'caution'],
  ['warfarin', 'levothyroxine', 'warfarin-levothyroxine', 'caution'],
  ['propranolol', 'insulin', 'betablocker-insulin', 'caution'],
  ['propranolol', 'salbutamol', 'betablocker-betaagonist', 'avoid'],
  ['acetylsalicylic acid', 'fluoxetine', 'aspirin-ssri', 'caution'],
  ['ibuprofen', 'venlafaxine', 'snri-nsaid', 'caution'],
  ['clopidogrel', 'ibuprofen', 'clopidogrel-nsaid', 'caution'],
  ['clopidogrel', 'fluoxetine', 'clopidogrel-ssri', 'caution'],
  ['hydrochlorothiazide', 'ibuprofen', 'thiazide-nsaid', 'caution'],
  ['prednisolone', 'metformin', 'steroid-diabetes', 'caution'],
  ['prednisolone', 'hydrochlorothiazide', 'steroid-diuretic', 'caution'],
  ['hydrochlorothiazide', 'carbamazepine', 'thiazide-sodium', 'caution'],
  ['hydrochlorothiazide', 'calcium carbonate', 'thiazide-calcium', 'caution'],
  ['metoprolol', 'fluoxetine', 'metoprolol-cyp2d6', 'caution'],
  ['amlodipine', 'clarithromycin', 'ccb-raised', 'caution'],
  ['amlodipine', 'rifampicin', 'ccb-inducer', 'caution'],
  ['carbamazepine', 'verapamil', 'carbamazepine-raised', 'caution'],
  ['carbamazepine', 'risperidone', 'aed-lowers', 'caution'],
  ['valproic acid', 'carbamazepine', 'valproate-aed', 'caution'],
  ['phenytoin', 'amiodarone', 'phenytoin-raised', 'caution'],
  ['phenytoin', 'folic acid', 'phenytoin-lowered', 'caution'],
  ['amitriptyline', 'chlorphenamine', 'tricyclic-anticholinergic', 'caution'],
  ['metoclopramide', 'haloperidol', 'metoclopramide-antipsychotic', 'avoid'],
  ['metoclopramide', 'butylscopolamine', 'metoclopramide-anticholinergic', 'caution'],
  ['codeine', 'promethazine', 'opioid-sedative', 'caution'],
  ['alendronic acid', 'ibuprofen', 'bisphosphonate-nsaid', 'caution'],
  ['itraconazole', 'omeprazole', 'azole-acid', 'caution'],
  ['rifampicin', 'aluminium hydroxide', 'rifampicin-antacid', 'caution'],
  ['ferrous sulfate', 'levodopa', 'iron-bound', 'caution'],
  ['rifampicin', 'dapsone', 'rifampicin-lowers-also', 'caution'],
  ['quinine', 'carbamazepine', 'quinine-inducer', 'caution'],
  ['atorvastatin', 'itraconazole', 'atorvastatin-raised', 'avoid'],
  ['atorvastatin', 'verapamil', 'atorvastatin-ccb', 'caution'],
  ['atorvastatin', 'gemfibrozil', 'statin-gemfibrozil', 'avoid'],
  ['simvastatin', 'fenofibrate', 'statin-fibrate', 'caution'],
  ['atorvastatin', 'ciclosporin', 'statin-ciclosporin', 'avoid'],
  ['simvastatin', 'colchicine', 'statin-colchicine', 'caution'],
  ['colchicine', 'verapamil', 'colchicine-raised', 'caution'],
  ['levofloxacin', 'dexamethasone', 'quinolone-steroid', 'caution'],
  ['mefloquine', 'valproic acid', 'mefloquine-antiepileptic', 'avoid'],
  ['mefloquine', 'halofantrine', 'mefloquine-halofantrine', MUST],
  ['mefloquine', 'propranolol', 'mefloquine-heart', 'caution'],
  ['warfarin', 'amoxicillin', 'warfarin-other-antimicrobial', 'caution'],
  ['warfarin', 'griseofulvin', 'warfarin-griseofulvin', 'caution'],
  ['warfarin', 'gemfibrozil', 'warfarin-fibrate', 'caution'],
  ['warfarin', 'tramadol', 'warfarin-tramadol', 'caution'],
  ['sumatriptan', 'fluoxetine', 'triptan-ssri', 'caution'],
  ['nevirapine', 'ketoconazole', 'nevirapine-azole', 'avoid'],
  ['nevirapine', 'fluconazole', 'nevirapine-fluconazole', 'caution'],
  ['artemether', 'quinine', 'artemether-quinine', 'avoid'],
  ['artemether', 'chloroquine', 'artemether-qt', 'avoid'],
  ['artemether', 'efavirenz', 'artemether-nnrti', 'caution'],
  ['lumefantrine', 'efavirenz', 'lumefantrine-nnrti', 'caution'],
  ['quinine', 'efavirenz', 'quinine-nnrti', 'caution'],
  ['fluticasone', 'ritonavir', 'inhaled-steroid', 'avoid'],
  ['risperidone', 'fluoxetine', 'antipsychotic-2d6', 'caution'],
  ['olanzapine', 'fluvoxamine', 'antipsychotic-fluvoxamine', 'caution'],
  ['diazepam', 'promethazine', 'benzodiazepine-sedative', 'caution'],
  ['diazepam', 'clarithromycin', 'benzodiazepine-raised', 'caution'],
  ['simvastatin', 'fusidic acid', 'statin-fusidic', MUST],
  ['ivabradine', 'ketoconazole', 'ivabradine-cyp3a4', MUST],
  ['amikacin', 'furosemide', 'aminoglycoside-furosemide', 'caution'],
  ['salmeterol', 'ritonavir', 'salmeterol-ritonavir', 'avoid'],
  // graver than their class
  ['rosuvastatin', 'ciclosporin', 'rosuvastatin-ciclosporin', MUST],
  ['pitavastatin', 'ciclosporin', 'rosuvastatin-ciclosporin', MUST],
  ['voriconazole', 'rifampicin', 'voriconazole-inducer', MUST],
  ['voriconazole', 'carbamazepine', 'voriconazole-inducer', MUST],
  ['voriconazole', 'phenobarbital', 'voriconazole-inducer', MUST],
  ['midazolam', 'ritonavir', 'ritonavir-midazolam', MUST],
  ['triazolam', 'ritonavir', 'ritonavir-midazolam', MUST],
  ['felodipine', 'itraconazole', 'felodipine-cyp3a4', 'avoid'],
  ['nimodipine', 'clarithromycin', 'nimodipine-cyp3a4', MUST],
  ['nimodipine', 'ritonavir', 'nimodipine-cyp3a4', MUST],
  ['colchicine', 'ciclosporin', 'colchicine-ciclosporin', 'avoid'],
  ['atovaquone', 'rifampicin', 'rifampicin-atovaquone', 'avoid'],
  ['itraconazole', 'rifampicin', 'azole-inducer', 'avoid'],
  ['itraconazole', 'carbamazepine', 'azole-inducer', 'avoid'],
  ['methotrexate', 'pyrimethamine', 'methotrexate-antifolate', 'avoid'],
  ['methotrexate', 'sulfadoxine', 'methotrexate-antifolate', 'avoid'],
  ['methotrexate', 'dapsone', 'methotrexate-antifolate', 'avoid'],
  ['alendronic acid', 'calcium carbonate', 'bisphosphonate-cations', 'caution'],
  ['ciprofloxacin', 'sucralfate', 'chelation', 'caution'],
  ['warfarin', "st john's wort", 'warfarin-wort', 'caution'],
  // the fifteen
  ['methylphenidate', 'phenelzine', 'amphetamine-mao', MUST],
  ['atazanavir', 'omeprazole', 'atazanavir-ppi', MUST],
  ['febuxostat', 'azathioprine', 'febuxostat-thiopurine', MUST],
  ['fluoxetine', 'linezolid', 'ssri-mao', MUST],
  ['irinotecan', 'ketoconazole', 'irinotecan-cyp3a4', MUST],
  ['tramadol', 'moclobemide', 'opioid-mao', MUST],
  ['amitriptyline', 'tranylcypromine', 'tricyclic-mao', MUST],
  ['haloperidol', 'erythromycin', 'qt-qt', 'avoid'],
  ['ramelteon', 'fluvoxamine', 'ramelteon-cyp1a2', MUST],
  ['rifampicin', 'lopinavir', 'inducer-protease', MUST],
  ['simvastatin', 'clarithromycin', 'statin-cyp3a4', MUST],
  ['ergotamine', 'erythromycin', 'ergot-cyp3a4', MUST],
  ['tizanidine', 'ciprofloxacin', 'tizanidine-cyp1a2', MUST],
  ['tranylcypromine', 'procarbazine', 'tranylcypromine-procarbazine', MUST],
  ['sumatriptan', 'moclobemide', 'triptan-mao', MUST],
] as const

/** What primary care gives together every day. */
const ORDINARY = [
  ['amoxicillin', 'paracetamol'],
  ['amoxicillin', 'ibuprofen'],
  ['metformin', 'enalapril'],
  ['metformin', 'glibenclamide'],
  ['metformin', 'insulin human'],
  ['metformin', 'atorvastatin'],
  ['enalapril', 'amlodipine'],
  ['enalapril', 'hydrochlorothiazide'],
  ['losartan', 'amlodipine'],
  ['losartan', 'hydrochlorothiazide'],
  ['bisoprolol', 'amlodipine'],
  ['bisoprolol', 'furosemide'],
  ['furosemide', 'spironolactone'],
  ['atorvastatin', 'amlodipine'],
  ['acetylsalicylic acid', 'atorvastatin'],
  ['acetylsalicylic acid', 'clopidogrel'],
  ['acetylsalicylic acid', 'bisoprolol'],
  ['omeprazole', 'ibuprofen'],
  ['omeprazole', 'amoxicillin'],
  ['clarithromycin', 'amoxicillin'],
  ['clarithromycin', 'omeprazole'],
  ['metronidazole', 'ciprofloxacin'],
  ['metronidazole', 'amoxicillin'],
  ['doxycycline', 'metronidazole'],
  ['ceftriaxone', 'doxycycline'],
  ['ceftriaxone', 'azithromycin'],
  ['salbutamol', 'prednisolone'],
  ['salbutamol', 'beclometasone'],
  ['salbutamol', 'amoxicillin'],
  ['levothyroxine', 'amlodipine'],
  ['ferrous sulfate', 'folic acid'],
  ['ferrous sulfate', 'paracetamol'],
  ['zinc sulfate', 'amoxicillin'],
  ['artemether', 'paracetamol'],
  ['rifampicin', 'isoniazid'],
  ['isoniazid', 'pyridoxine'],
  ['tenofovir disoproxil', 'dolutegravir'],
  ['sulfamethoxazole', 'dolutegravir'],
  ['ibuprofen', 'paracetamol'],
  ['paracetamol', 'codeine'],
  ['sertraline', 'paracetamol'],
  ['fluoxetine', 'diazepam'],
  ['amitriptyline', 'paracetamol'],
  ['valproic acid', 'folic acid'],
  ['allopurinol', 'colchicine'],
  ['morphine', 'metoclopramide'],
  ['ondansetron', 'paracetamol'],
  ['atorvastatin', 'azithromycin'],
  ['atazanavir', 'ranitidine'],
  ['tizanidine', 'levofloxacin'],
] as const

describe('interactions', () => {
  test.for(PAIRS)('%s with %s', ([a, b, rule, level]) => {
    for (const [one, other] of [
      [a, b],
      [b, a],
    ] as const)
      expect(warningsOf([drug('A', one)], [drug('B', other)], [])).toMatchObject([
        { kind: 'interaction', rule, level, other: 'B' },
      ])
  })

  test('every rule has a pair here that it answers', () => {
    const tried = new Set<string>(PAIRS.map(([, , rule]) => rule))
    // shown by a more serious rule about the same pair, or by its routes, below
    const elsewhere = [
      'betablocker-verapamil-iv',
      'digoxin-calcium',
      'midazolam-azole',
      'artemether-quinine-injected',
      'warfarin-miconazole',
      'aspirin-nsaid',
      'qt-high',
      'qt-haloperidol-high',
      'qt-haloperidol-known',
      'qt-haloperidol-also',
      'beta-agonist-diuretic',
      'tranexamic-contraceptive-injected',
    ]
    expect(
      INTERACTIONS.map(({ id }) => id).filter((id) => !tried.has(id) && !elsewhere.includes(id)),
    ).toEqual([])
  })

  test('calcium is a danger with digoxin only into a vein', () => {
    const pair = (route: string) =>
      warningsOf([given('calcium gluconate', route)], [drug('B', 'digoxin')], [])
    expect(pair('oral')).toEqual([])
    expect(pair('intravenous')).toMatchObject([{ rule: 'digoxin-calcium', level: 'avoid' }])
  })

  test('midazolam that is swallowed is graver with an azole, and quinine that is swallowed with artemether', () => {
    const level = (one: string, other: string, route: string) =>
      warningsOf([given(one, route)], [drug('B', other)], []).map((warning) => levelOf(warning))
    expect(level('midazolam', 'itraconazole', 'oral')).toEqual([MUST])
    expect(level('midazolam', 'itraconazole', 'intravenous')).toEqual(['caution'])
    expect(level('quinine', 'artemether', 'oral')).toEqual(['avoid'])
    expect(level('quinine', 'artemether', 'intravenous')).toEqual(['caution'])
  })

  test('no statin is advised that must not be given with ciclosporin', () => {
    for (const statin of ['atorvastatin', 'pravastatin', 'rosuvastatin'])
      expect(warningsOf([drug('A', statin)], [drug('B', 'ciclosporin')], [])).toMatchObject([
        { todo: { en: expect.stringContaining('Ask the transplant clinic') } },
      ])
  })

  test('tranexamic acid with the combined pill: tablets must not be, an injection is a caution', () => {
    const level = (route: string) =>
      warningsOf([given('tranexamic acid', route)], [drug('B', 'ethinylestradiol')], []).map(
        levelOf,
      )
    expect(level('oral')).toEqual([MUST])
    expect(level('intravenous')).toEqual(['caution'])
  })

  test('salbutamol with furosemide is warned of if it is swallowed, not if it is inhaled', () => {
    const rules = (route: string) =>
      warningsOf([given('salbutamol', route)], [drug('B', 'furosemide')], []).map(
        (warning) => 'rule' in warning && warning.rule,
      )
    expect(rules('oral')).toEqual(['beta-agonist-diuretic'])
    expect(rules('inhalation')).toEqual([])
  })

  test('what to do names the medicine that is given, not another of its group', () => {
    for (const inhibitor of ['sildenafil', 'tadalafil'])
      expect(warningsOf([drug('A', inhibitor)], [drug('B', 'doxazosin')], [])).toMatchObject([
        { todo: { en: expect.stringMatching(/^(?!.*(sildenafil|mg)).*lowest dose/) } },
      ])
  })

  test('a substance of a group is no pair with itself', () => {
    expect(kindsOf([drug('A', 'haloperidol')], [drug('B', 'haloperidol')], [])).toEqual([
      'duplicate',
    ])
  })

  test('of two warnings about one pair only the more serious is shown', () => {
    // simvastatin is raised by verapamil (take care) and clarithromycin (must not); here both are in one medicine
    expect(
      warningsOf([drug('A', 'simvastatin')], [drug('B', 'clarithromycin', 'amlodipine')], []),
    ).toMatchObject([{ rule: 'statin-cyp3a4' }])
    expect(warningsOf([drug('A', 'amiodarone')], [drug('B', 'sotalol')], [])).toMatchObject([
      { rule: 'qt-high' },
    ])
    expect(
      warningsOf([drug('A', 'ibuprofen')], [drug('B', 'acetylsalicylic acid')], []),
    ).toMatchObject([{ rule: 'aspirin-nsaid' }])
  })

  test('ordinary pairs of primary care give no warning', () => {
    const alarms = ORDINARY.flatMap(([a, b]) =>
      warningsOf([drug('A', a), drug('B', b)], [], []).map((warning) => [
        a,
        b,
        warning.kind,
        levelOf(warning),
      ]),
    )
    expect(ORDINARY.length).toBeGreaterThanOrEqual(40)
    expect(alarms).toEqual([])
  })

  test('a rule that is switched off is silent, and the next one about the pair speaks', () => {
    const pair = [[drug('A', 'ibuprofen')], [drug('B', 'warfarin')], [], undefined] as const
    expect(warningsOf(...pair)).toMatchObject([{ rule: 'warfarin-nsaid' }])
    expect(warningsOf(...pair, new Set(['interaction:warfarin-nsaid']))).toEqual([])
    const both = [
      [drug('A', 'ibuprofen', 'enalapril')],
      [drug('B', 'lithium')],
      [],
      undefined,
    ] as const
    expect(warningsOf(...both, new Set(['interaction:lithium-ras']))).toMatchObject([
      { rule: 'lithium-nsaid' },
    ])
  })
})

describe('duplicates by class', () => {
  test.for([
    ['amitriptyline', 'imipramine', 'tricyclics'],
    ['azithromycin', 'erythromycin', 'macrolides'],
    ['ciprofloxacin', 'ofloxacin', 'fluoroquinolones'],
    ['amlodipine', 'nifedipine', 'dihydropyridines'],
    ['ferrous sulfate', 'ferrous fumarate', 'irons'],
    ['metoclopramide', 'domperidone', 'dopamine_antiemetics'],
    ['ranitidine', 'famotidine', 'h2_blockers'],
    ['doxycycline', 'tetracycline', 'tetracyclines'],
    ['doxazosin', 'tamsulosin', 'alpha_blockers'],
    ['tenofovir disoproxil', 'tenofovir alafenamide', 'tenofovirs'],
    ['sitagliptin', 'vildagliptin', 'dpp4_inhibitors'],
    ['dapagliflozin', 'empagliflozin', 'sglt2_inhibitors'],
  ] as const)('%s and %s', ([a, b, rule]) => {
    const found = warningsOf([drug('A', a)], [drug('B', b)], [])
    expect(found.map((one) => 'rule' in one && one.rule)).toContain(rule)
  })
})

describe('routes', () => {
  test('what stays where it is applied is compared with allergies and not with other medicines', () => {
    const shampoo = given('ketoconazole', 'topical', 'other')
    const eyeDrops = given('chloramphenicol', 'ophthalmic', 'drops')
    expect(warningsOf([shampoo], [given('simvastatin', 'oral')], [])).toEqual([])
    expect(
      warningsOf([given('timolol', 'ophthalmic', 'drops')], [given('verapamil', 'oral')], []),
    ).toEqual([])
    expect(
      warningsOf([given('diclofenac', 'topical', 'gel')], [given('warfarin', 'oral')], []),
    ).toEqual([])
    expect(
      warningsOf([given('ciprofloxacin', 'otic', 'drops')], [given('tizanidine', 'oral')], []),
    ).toEqual([])
    expect(kindsOf([eyeDrops], [], [allergy('chloramphenicol')])).toEqual(['allergy'])
    expect(kindsOf([given('diclofenac', 'topical', 'gel')], [], [allergy('ibuprofen')])).toEqual([
      'allergy',
    ])
  })

  test('the potassium of a rehydration salt is little; a tablet or an infusion of it is not', () => {
    const salts = ['sodium chloride', 'potassium chloride', 'glucose', 'trisodium citrate']
    const ors = { ...drug('ORS', ...salts), route: 'oral', form: 'other' }
    const enalapril = given('enalapril', 'oral')
    expect(warningsOf([ors], [enalapril], [])).toEqual([])
    expect(warningsOf([{ ...ors, route: 'intravenous' }], [enalapril], [])).toMatchObject([
      { rule: 'ras-potassium' },
    ])
    expect(warningsOf([given('potassium chloride', 'oral')], [enalapril], [])).toMatchObject([
      { rule: 'ras-potassium' },
    ])
  })

  test('a rehydration salt is no second dose of a drip or a tablet, a second one is', () => {
    const drip = (name: string) => given(name, 'intravenous', 'infusion')
    const ors = { ...drug('ORS', 'ors'), route: 'oral' }
    for (const salt of ['sodium chloride', 'glucose'])
      expect(warningsOf([ors], [drip(salt)], [])).toEqual([])
    expect(warningsOf([given('potassium chloride', 'oral')], [ors], [])).toEqual([])
    expect(kindsOf([ors], [{ ...ors, drugId: 'B', name: 'B' }], [])).toEqual(['duplicate'])
    expect(kindsOf([drip('glucose')], [drug('B', 'glucose')], [])).toEqual(['duplicate'])
  })

  test('an inhaler of a beta-2 agonist counts', () => {
    for (const [drugGiven, other, rule] of [
      ['salbutamol', 'propranolol', 'betablocker-betaagonist'],
      ['salmeterol', 'ritonavir', 'salmeterol-ritonavir'],
    ] as const)
      for (const route of ['inhalation', 'other'])
        expect(
          warningsOf([given(drugGiven, route, 'inhaler')], [given(other, 'oral')], []),
        ).toMatchObject([{ rule, level: 'avoid' }])
  })

  test('the gel for the mouth is swallowed: miconazole with warfarin', () => {
    const warfarin = given('warfarin', 'oral')
    expect(warningsOf([given('miconazole', 'oral', 'gel')], [warfarin], [])).toMatchObject([
      { rule: 'warfarin-miconazole' },
    ])
    expect(warningsOf([given('miconazole', 'topical', 'cream')], [warfarin], [])).toEqual([])
  })

  test('an injection into a vein is graver than a tablet', () => {
    const beta = given('bisoprolol', 'oral')
    expect(warningsOf([given('verapamil', 'intravenous', 'injection')], [beta], [])).toMatchObject([
      { level: MUST },
    ])
    expect(warningsOf([given('verapamil', 'oral')], [beta], [])).toMatchObject([{ level: 'avoid' }])
    const injected = given('haloperidol', 'intravenous', 'injection')
    expect(warningsOf([injected], [given('ondansetron', 'oral')], [])).toMatchObject([
      { level: MUST },
    ])
    expect(
      warningsOf([given('haloperidol', 'oral')], [given('ondansetron', 'oral')], []),
    ).toMatchObject([{ level: 'caution' }])
  })
})
