package sealed

import "filippo.io/age"

// LockCheaply is LockBy with little stretching, so that a test takes no second.
func LockCheaply(passphrase string) (Lock, error) {
	to, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return Lock{}, err
	}
	to.SetWorkFactor(10)
	return Lock{[]age.Recipient{to}}, nil
}
