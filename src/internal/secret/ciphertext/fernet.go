package ciphertext

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"time"
)

// fernetVersion is the first byte of a token.
const fernetVersion = 0x80

// fernetKey is a key of the Fernet specification: one half signs, the other encrypts.
type fernetKey struct{ signing, encryption [16]byte }

// errNotOpened says that a key does not open a token, and no more: why is of use to attackers only.
var errNotOpened = errors.New("the key does not open it")

// parseFernetKey reads 32 bytes in URL-safe base64.
func parseFernetKey(text string) (fernetKey, bool) {
	var key fernetKey
	data, err := base64.URLEncoding.DecodeString(text)
	if err != nil || len(data) != len(key.signing)+len(key.encryption) {
		return key, false
	}
	copy(key.encryption[:], data[copy(key.signing[:], data):])
	return key, true
}

// seal makes a token of a text at a time with an initialization vector.
func (k fernetKey) seal(text []byte, at time.Time, iv [aes.BlockSize]byte) string {
	token := append([]byte{fernetVersion}, binary.BigEndian.AppendUint64(nil, uint64(at.Unix()))...)
	token = append(token, iv[:]...)
	padding := aes.BlockSize - len(text)%aes.BlockSize
	padded := make([]byte, len(text)+padding)
	for i := copy(padded, text); i < len(padded); i++ {
		padded[i] = byte(padding)
	}
	cipher.NewCBCEncrypter(k.block(), iv[:]).CryptBlocks(padded, padded)
	token = append(token, padded...)
	return base64.URLEncoding.EncodeToString(append(token, k.mac(token)...))
}

// open returns the text of a token. Tokens have no end of validity here: they are data at rest.
func (k fernetKey) open(token string) ([]byte, error) {
	data, err := base64.URLEncoding.DecodeString(token)
	const head = 1 + 8 + aes.BlockSize
	body := len(data) - sha256.Size
	if err != nil || body <= head || (body-head)%aes.BlockSize != 0 || data[0] != fernetVersion || !hmac.Equal(data[body:], k.mac(data[:body])) {
		return nil, errNotOpened
	}
	text := data[head:body]
	cipher.NewCBCDecrypter(k.block(), data[1+8:head]).CryptBlocks(text, text)
	padding := text[len(text)-1]
	if padding == 0 || padding > aes.BlockSize {
		return nil, errNotOpened
	}
	for _, b := range text[len(text)-int(padding):] {
		if subtle.ConstantTimeByteEq(b, padding) == 0 {
			return nil, errNotOpened
		}
	}
	return text[:len(text)-int(padding)], nil
}

func (k fernetKey) block() cipher.Block {
	block, err := aes.NewCipher(k.encryption[:])
	if err != nil {
		panic(err) // its length is right
	}
	return block
}

func (k fernetKey) mac(data []byte) []byte {
	mac := hmac.New(sha256.New, k.signing[:])
	_, _ = mac.Write(data) // a hash takes everything
	return mac.Sum(nil)
}
